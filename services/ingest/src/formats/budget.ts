import { UndecodableError } from './format.ts';

/** A ten-year calendar with prices has fewer than 20,000 values. */
const ANY_RECORD = 20_000;
/** A message of two bytes may have many fields with defaults. */
const PER_BYTE = 64;
const MAX_VALUES = 250_000;
/** The limit is the same as protoc's. */
const MAX_DEPTH = 100;

/**
 * Bounds the work and the memory that one record can cost. The length of a record does not bound them: five
 * bytes of Avro can announce two billion values of type `null`.
 */
export class Budget {
  readonly #limit: number;
  #values: number;
  #depth = 0;

  /** @param bytes the length of the record, because short records must not cost as much as long ones */
  constructor(bytes: number) {
    this.#limit = Math.min(MAX_VALUES, ANY_RECORD + PER_BYTE * bytes);
    this.#values = this.#limit;
  }

  /** @throws UndecodableError if the record has more values than its limit allows */
  spend(values: number): void {
    this.#values -= values;
    if (this.#values < 0) throw new UndecodableError(`the record has more than ${this.#limit} values`);
  }

  /**
   * Each call needs a matching call to `leave`.
   * @throws UndecodableError if values are nested more than 100 levels deep
   */
  enter(): void {
    if (++this.#depth > MAX_DEPTH)
      throw new UndecodableError(`the record is nested more than ${MAX_DEPTH} levels deep`);
  }

  leave(): void {
    this.#depth--;
  }
}

/** Sets an own property. A plain assignment to the name `__proto__` would change the prototype. */
export function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}
