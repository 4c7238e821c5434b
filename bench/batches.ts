/** Groups the values into batches of this size; the last batch may be smaller. */
export function* inBatches<Value>(values: Iterable<Value>, size: number): Generator<Value[]> {
  let batch: Value[] = [];
  for (const value of values) {
    if (batch.push(value) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
