#!/bin/sh
# Runs a command of base/commands as a job, and prints the job's log.
#   infra/kubernetes/run-job.sh NAMESPACE JOB CRONJOB
# The script ends with the job. Its exit code is 0 if the job succeeded, 1 if the job failed, and 2 if kubectl
# failed for a minute. `kubectl logs --follow` fails before the container exists, and `kubectl wait` does not
# notice a failed job.
set -u
namespace=$1 job=$2 cronjob=$3
kubectl create job "$job" -n "$namespace" --from="cronjob/$cronjob" || exit 2

result() { kubectl get job "$job" -n "$namespace" -o jsonpath='{.status.conditions[?(@.status=="True")].type}'; }
pods() {
  kubectl get pods -n "$namespace" -l "batch.kubernetes.io/job-name=$job" \
    -o jsonpath='{range .items[?(@.status.phase!="Pending")]}{.metadata.name}{"\n"}{end}'
}

printed=' '
faults=0
while [ "$faults" -lt 60 ]; do
  conditions=$(result) && found=$(pods) && faults=0 || faults=$((faults + 1))
  for pod in ${found:-}; do
    case "$printed" in *" $pod "*) continue ;; esac
    kubectl logs "$pod" -n "$namespace" --follow && printed="$printed$pod "
  done
  case " ${conditions:-} " in
    *' Complete '*) exit 0 ;;
    *' Failed '*) echo "The job $job failed." >&2; exit 1 ;;
  esac
  sleep 1
done
echo "kubectl could not read the job $job." >&2
exit 2
