import type { ScanProgress } from '@vitrine/kafka';
import type { ReportProgress } from './run-command.ts';

/** Reports the progress of a scan of a topic. */
export const reading =
  (report: ReportProgress) =>
  ({ done, total }: ScanProgress): void =>
    report('reading records', done, total);
