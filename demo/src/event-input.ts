import type { Message } from '@vitrine/kafka';
import { decodeRecord, describeVersion, EVENT_HEADERS } from '@vitrine/listing-events';

/** Events from the input, encoded for Kafka, or the input's errors. */
export type EventInput =
  | { messages: readonly Message[]; lines: readonly string[] }
  | { faults: readonly string[] };

/** The content type of structured mode (CloudEvents, Kafka binding §3.3). */

/**
 * Reads events from text: one JSON object, an array of objects, or one object per line. Checks each event as
 * the projector does, so a mistake is reported here and does not become a dead letter. Pure.
 * @returns the messages, with listing ids as their keys and a line per event for the terminal; or one fault
 *   per bad event
 */
export function readEvents(text: string): EventInput {
  const documents = parseDocuments(text);
  if (!documents)
    return {
      faults: ['The input is not JSON. It must be one event, an array of events, or one event per line.'],
    };
  if (documents.length === 0) return { faults: ['The input contains no event.'] };
  const events = documents.map((document, index) => checkEvent(document, index + 1));
  const faults = events.flatMap((event) => event.fault ?? []);
  if (faults.length > 0) return { faults };
  return {
    messages: events.flatMap(({ message }) => message ?? []),
    lines: events.flatMap(({ line }) => line ?? []),
  };
}

function parseDocuments(text: string): unknown[] | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseJson);
  return lines.includes(undefined) ? undefined : lines;
}

/** @returns undefined if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function checkEvent(document: unknown, number: number): { message?: Message; line?: string; fault?: string } {
  const subject = (document as { subject?: unknown } | null)?.subject;
  const key = Buffer.from(typeof subject === 'string' ? subject : '');
  const value = Buffer.from(JSON.stringify(document));
  const decoded = decodeRecord({ key, value, headers: EVENT_HEADERS });
  switch (decoded.outcome) {
    case 'refused':
      return { fault: `Event ${number} is invalid (${decoded.reason}): ${decoded.detail}` };
    case 'skipped':
      return {
        fault: `Event ${number} has the unknown type ${decoded.type}, so the projector would skip it.`,
      };
    case 'event':
      return {
        message: { key, value, headers: EVENT_HEADERS },
        line: `${decoded.event.id}, version ${describeVersion(decoded.event.version)}: ${decoded.event.kind}`,
      };
  }
}
