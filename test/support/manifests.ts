import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const RENDER_WITHIN_MS = 60_000;

interface Probe {
  httpGet: { path: string; port: string };
}
export interface Container {
  name: string;
  image: string;
  imagePullPolicy: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: object;
  volumeMounts?: { name: string; mountPath: string }[];
}
export interface PodSpec {
  terminationGracePeriodSeconds?: number;
  securityContext: { fsGroup?: number; runAsGroup?: number };
  automountServiceAccountToken: boolean;
  serviceAccountName: string;
  topologySpreadConstraints?: object[];
  containers: Container[];
  /** A volume is a secret, the files of a ConfigMap, or an empty folder. */
  volumes?: {
    name: string;
    secret?: { secretName: string; defaultMode: number };
    configMap?: { name: string };
    emptyDir?: object;
  }[];
}
interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}
interface JobSpec {
  template: PodTemplate;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished: number;
  backoffLimit: number;
}
interface NetworkPolicyRule {
  ports: { port: string }[];
}
interface ServiceMonitorEndpoint {
  port: string;
  relabelings: { action: string; targetLabel: string; replacement: string }[];
}

/** A Kubernetes object. Its kind decides which members it has. */
export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data: Record<string, string>;
  automountServiceAccountToken?: boolean;
  spec: {
    template: PodTemplate;
    jobTemplate: { spec: JobSpec };
    suspend?: boolean;
    schedule: string;
    failedJobsHistoryLimit: number;
    selector: Record<string, string> & { matchLabels?: Record<string, string> };
    podSelector: { matchLabels: Record<string, string> };
    ports: { name: string; port: number; targetPort: string }[];
    ingress?: NetworkPolicyRule[];
    scaleTargetRef: { kind: string; name: string };
    minReplicas: number;
    maxUnavailable: number;
    unhealthyPodEvictionPolicy?: string;
    endpoints: ServiceMonitorEndpoint[];
    ingressClassName: string;
  };
}

/**
 * Renders a folder with `kubectl kustomize`, which needs no cluster.
 * @param folder relative to the repository
 * @returns undefined if this machine has no kubectl
 * @throws if kubectl cannot render the folder
 */
export function renderManifests(folder: string): Manifest[] | undefined {
  const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', resolve(ROOT, folder)], {
    encoding: 'utf8',
    timeout: RENDER_WITHIN_MS,
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return undefined;
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr || error?.message}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** The object of this kind and name. @throws if it does not exist */
export function manifestOf(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The pod that a Deployment or CronJob starts. Undefined for other kinds. */
export const podOf = ({ kind, spec }: Manifest): PodSpec | undefined =>
  kind === 'Deployment'
    ? spec.template.spec
    : kind === 'CronJob'
      ? spec.jobTemplate.spec.template.spec
      : undefined;

/** The only container of a pod. @throws if there are several */
export function containerOf({ containers }: PodSpec): Container {
  const [container, ...others] = containers;
  if (container === undefined || others.length > 0) throw new Error('the pod must have one container');
  return container;
}

/** The environment of a container: its ConfigMap, overridden by its own variables. */
export function environmentOf(manifests: readonly Manifest[], container: Container): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? [])
    Object.assign(env, manifestOf(manifests, 'ConfigMap', configMapRef.name).data);
  for (const { name, value } of container.env ?? []) env[name] = value;
  return env;
}
