import type { Readable } from 'node:stream';
import type { Rules } from '@vitrine/listing';
import type { VersionBound } from '@vitrine/listing-events';
import type { RecordReading } from '../records/read-records.ts';
import { checkFile, checkMapped } from './check-file.ts';
import type { CheckResult } from './check-result.ts';
import { CheckRun } from './check-run.ts';
import { checkTopic } from './check-topic.ts';
import { openInput } from './open-input.ts';
import { ReportFile } from './report-file.ts';
import type { TopicPart } from './topic-part.ts';

/** The context of a check. It connects to Kafka only for a topic, and never to Elasticsearch. */
export interface CheckContext {
  rules: Rules;
  versionBound: VersionBound | undefined;
  stdin: Readable | undefined;
  signal: AbortSignal;
  /** Connects to Kafka. @throws SettingsError; KafkaError */
  connect(): Promise<{ context: RecordReading; close(): Promise<void> }>;
}

/**
 * The events to check: a file name, `-` for the standard input, or a part of a topic. The lines in a mapped
 * file come from an ingest's dry run.
 */
export type Checked = { file: string; mapped?: boolean } | { topic: string; part: TopicPart };

type Progress = (label: string, done: number, total: number) => void;

const BYTES_PER_MB = 1e6;

/**
 * Checks events as the projector would process them, and collects the feed that would result. The check
 * writes only the report, and a temporary file for large inputs.
 * @param report a file for all findings, one JSON document per line
 * @throws Error if a file cannot be read or written; the signal's reason after an interruption; Kafka's
 * errors
 */
export async function check(
  context: CheckContext,
  checked: Checked,
  report: string | undefined,
  progress: Progress,
): Promise<CheckResult> {
  if ('file' in checked) {
    const { chunks, file, size } = openInput(checked.file, context.stdin, context.signal);
    const inMegabytes = (bytes: number) => Math.ceil(bytes / BYTES_PER_MB);
    return inRun(context, report, file, progress, (run) =>
      (checked.mapped ? checkMapped : checkFile)(run, chunks, (bytes) =>
        progress('reading MB', inMegabytes(bytes), inMegabytes(size)),
      ),
    );
  }
  return inRun(context, report, undefined, progress, async (run) => {
    const { context: reading, close } = await context.connect();
    try {
      await checkTopic(run, reading, checked, ({ done, total }) => progress('reading records', done, total));
    } finally {
      await close();
    }
  });
}

async function inRun(
  { rules, versionBound, signal }: CheckContext,
  report: string | undefined,
  input: number | undefined,
  progress: Progress,
  read: (run: CheckRun) => Promise<void>,
): Promise<CheckResult> {
  // The report is opened before any work, because a long check must not fail at its end.
  const file = report === undefined ? undefined : new ReportFile(report, input);
  const run = new CheckRun({ rules, versionBound, report: file, now: Date.now() });
  try {
    await read(run);
    return await run.finish(signal, (done, total) => progress('checking listings', done, total));
  } finally {
    run.close();
    file?.close();
  }
}
