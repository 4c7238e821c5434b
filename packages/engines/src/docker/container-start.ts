import type { WaitStrategy } from 'testcontainers';
import { EnginesError } from '../engine-control.ts';
import { tailOf, textOfLog } from '../engine-log.ts';
import type { Probe } from '../readiness.ts';
import { type Container, ContainerControl, removeContainer } from './docker-control.ts';

const LOG_LINES = 200;

/** An engine that runs in a container, and the port on this machine at which clients reach it. */
export interface ContainerPlan {
  readonly title: string;
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly port: { readonly container: number; readonly host: number };
  /** The address at which Docker publishes the port. */
  readonly hostIp: string;
  readonly probe: Probe;
}

/**
 * This package waits for the engine with its own probes. The wait strategies in Testcontainers do not notice
 * that a container has ended. They also remove the container together with its log.
 */
const NO_WAIT: WaitStrategy = {
  waitUntilReady: async () => {},
  withStartupTimeout: () => NO_WAIT,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 0,
};

/**
 * Starts a container and waits until its engine is ready. If the start fails, removes the container.
 * @throws EnginesError with the reason and the end of the container's log; the signal's reason on abort
 */
export async function startContainer(plan: ContainerPlan, signal?: AbortSignal): Promise<ContainerControl> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const client = await getContainerRuntimeClient();
  const { port, hostIp } = plan;
  let created: Container | undefined;

  class LocalContainer extends GenericContainer {
    /**
     * Publishes the port only at `hostIp`. Testcontainers publishes ports on all addresses, but these engines
     * have no passwords.
     */
    protected override async beforeContainerCreated(): Promise<void> {
      const binding = { HostIp: hostIp, HostPort: String(port.host) };
      this.hostConfig.PortBindings = { [`${port.container}/tcp`]: [binding] };
    }
    protected override async containerCreated(id: string): Promise<void> {
      created = client.container.getById(id);
    }
  }

  try {
    const started = await new LocalContainer(plan.image)
      .withEnvironment(plan.environment)
      .withExposedPorts({ ...port })
      .withWaitStrategy(NO_WAIT)
      .start();
    const control = new ContainerControl(client.container.getById(started.getId()), plan.probe, signal);
    await control.untilReady();
    return control;
  } catch (cause) {
    const failure = await describeFailure(plan, created, cause);
    if (created !== undefined) await removeContainer(created);
    signal?.throwIfAborted();
    throw failure;
  }
}

async function describeFailure(
  { title, image }: ContainerPlan,
  container: Container | undefined,
  cause: unknown,
): Promise<EnginesError> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const problem = `The container of ${title} (${image}) did not start: ${reason}.`;
  if (container === undefined) return new EnginesError(problem, { cause });
  const log = await container
    .logs({ follow: false, stdout: true, stderr: true, tail: LOG_LINES })
    .then(textOfLog, () => '');
  const end = tailOf(log);
  const text = end === '' ? 'It logged nothing.' : `The end of its log:\n${end}`;
  return new EnginesError(`${problem} ${text}`, { cause });
}
