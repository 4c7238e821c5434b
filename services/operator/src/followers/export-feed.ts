import { setTimeout as sleep } from 'node:timers/promises';
import { ChangesExpiredError, type FeedClient, FeedUnavailableError } from './feed-client.ts';
import { PartialExport } from './partial-export.ts';

export interface ExportOptions {
  /** The file for the complete export. */
  out: string;
  /** Whether to discard an interrupted export of this file. */
  restart: boolean;
  onProgress: (items: number, total: number) => void;
  /** Receives a message when the service is not responding, and when an interrupted export is too old. */
  onNotice: (message: string) => void;
  signal: AbortSignal;
}

export interface Exported {
  out: string;
  items: number;
  bytes: number;
  /** The client continues with the changes after this number. */
  changeNumber: number;
  /** The URL of these changes. */
  changes: string;
}

/** The export ends after this many failures without a new item between them. */
const MAX_FAILURES = 8;

/**
 * Writes an export to a file, or continues an interrupted one. After the end of each response, and after each
 * failure, the function continues with the item after the last complete line. The export is complete as soon
 * as the service states that no item follows.
 * @throws Error if the service fails repeatedly; file system errors. Another call continues the export
 */
export async function exportFeed(
  client: Pick<FeedClient, 'base' | 'changes' | 'currentChange' | 'cutShort' | 'export' | 'total'>,
  { out, restart, onProgress, onNotice, signal }: ExportOptions,
): Promise<Exported> {
  const partial = await PartialExport.open(out, client.base, restart);
  try {
    // The total serves only to display the progress.
    const total = await client.total().catch(() => 0);
    let isChecked = false;
    for (let failures = 0; ; ) {
      let { items } = partial;
      try {
        if (!isChecked) await discardInvalid(client, partial, onNotice);
        isChecked = true;
        const after = await partial.cut();
        ({ items } = partial);
        const { body, changeNumber } = await client.export(after);
        await partial.begin({ base: client.base, changeNumber });
        if (!body) break;
        for await (const chunk of body) {
          await partial.append(chunk);
          onProgress(partial.items, Math.max(total, partial.items));
        }
        if (partial.items === items) throw client.cutShort();
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof FeedUnavailableError)) throw error;
        failures = partial.items > items ? 1 : failures + 1;
        if (failures >= MAX_FAILURES)
          throw new Error(`${error.message}. Run the same command again to continue the export`, {
            cause: error,
          });
        onNotice(error.message);
        await sleep(error.retryAfterMs, undefined, { signal });
      }
    }
    await partial.complete();
    const { changeNumber } = partial.state as NonNullable<PartialExport['state']>;
    return {
      out,
      items: partial.items,
      bytes: partial.bytes,
      changeNumber,
      changes: `${client.base}/changes?afterChangeNumber=${changeNumber}`,
    };
  } finally {
    await partial.close();
  }
}

/**
 * Discards an export whose changes are no longer kept, or whose change number the service has not reached,
 * because the numbers began again. The changes would never continue such an export.
 */
async function discardInvalid(
  client: Pick<FeedClient, 'changes' | 'currentChange'>,
  partial: PartialExport,
  onNotice: (message: string) => void,
): Promise<void> {
  if (!partial.state) return;
  const { changeNumber } = partial.state;
  try {
    await client.changes(changeNumber, 1);
    if ((await client.currentChange()) >= changeNumber) return;
    onNotice("the service's change numbers began again after the interrupted export, so it starts over");
  } catch (error) {
    if (!(error instanceof ChangesExpiredError)) throw error;
    onNotice('the interrupted export is older than the changes that the service keeps, so it starts over');
  }
  await partial.restart();
}
