/**
 * Variables that permit steps that affect more than the test's namespace. Do not set them for a cluster that
 * others use.
 *
 * - `VITRINE_CLUSTER_NODE` names the node that the test may drain. All pods on that node are evicted.
 * - `VITRINE_CLUSTER_NODE_DOWN` and `VITRINE_CLUSTER_NODE_UP` are shell commands that stop this node without
 *   a warning, and start it again.
 */
export const PERMITTED = {
  node: process.env['VITRINE_CLUSTER_NODE'],
  down: process.env['VITRINE_CLUSTER_NODE_DOWN'],
  up: process.env['VITRINE_CLUSTER_NODE_UP'],
};
