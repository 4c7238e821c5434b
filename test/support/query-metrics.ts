/** The sum of a metric on the admin port over its labels, or over the labels that match `labels`. */
export async function metricOf(admin: string, name: string, labels = ''): Promise<number> {
  const lines = (await (await fetch(`${admin}/metrics`)).text()).split('\n');
  return lines
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
