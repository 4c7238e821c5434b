import { memoryOf } from '../../support/service-process.ts';
import { type MemorySample, type MemorySlope, memorySlope } from './slope.ts';

interface Measured {
  readonly name: string;
  readonly pid: number | undefined;
}

/** Collects the resident memory of services. Linux only: elsewhere it collects nothing. */
export class MemorySamples {
  readonly #samples = new Map<string, MemorySample[]>();

  sample(services: readonly Measured[], hours: number): void {
    for (const { name, pid } of services) {
      const mib = residentMib(pid);
      if (pid === undefined || mib === undefined) continue;
      const samples = this.#samples.get(name) ?? [];
      samples.push({ pid, hours, mib });
      this.#samples.set(name, samples);
    }
  }

  /** All measurements by service. */
  all(): Record<string, MemorySample[]> {
    return Object.fromEntries(this.#samples);
  }

  slopes(): Record<string, MemorySlope> {
    return Object.fromEntries([...this.#samples].map(([name, samples]) => [name, memorySlope(samples)]));
  }
}

/** Undefined if the process has ended. */
export function residentMib(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const mib = memoryOf(pid);
    return Number.isNaN(mib) ? undefined : mib;
  } catch {
    return undefined;
  }
}
