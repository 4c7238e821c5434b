import { PARTITIONS } from '@vitrine/projection/topics';
import { Command } from 'commander';
import { renderCreated, renderTopics } from '../text/render-topics.ts';
import { type CreateOptions, createTopics } from '../topics/create-topics.ts';
import { inspectTopics, isUnfit, type TopicOperation } from '../topics/inspect-topics.ts';
import { positive } from './integers.ts';
import type { Action } from './run-command.ts';

/** The commands that check and create the topics. */
export function topicsCommand(action: Action<TopicOperation>): Command {
  const command = new Command('topics').description(
    'check or create the events topic and the dead-letter topic',
  );
  command
    .command('check')
    .description(
      'check partitions, replicas, retention, compaction and sizes; the exit code is 3 if there is an error',
    )
    .option('--strict', 'also exit with code 3 for warnings', false)
    .action(
      action(async (context, _tell, { strict }: { strict: boolean }) => {
        const json = await inspectTopics(context);
        return { json, text: renderTopics(json), refused: isUnfit(json, strict) };
      }),
    );
  command
    .command('create')
    .description('create the missing topics; this command never changes an existing topic')
    .option(
      '--partitions <n>',
      `partitions per created topic (default: as many as the events topic has, otherwise ${PARTITIONS})`,
      positive,
    )
    .option(
      '--replication-factor <n>',
      'replicas per partition (default: 3, or one per broker if there are fewer than 3 brokers)',
      positive,
    )
    .option(
      '--min-insync-replicas <n>',
      'number of replicas that must store a record before the broker acknowledges it (default: all but one)',
      positive,
    )
    .option('--dry-run', 'ask the brokers to validate the request, but create nothing', false)
    .action(
      action(async (context, _tell, options: CreateOptions) => {
        const json = await createTopics(context, options);
        return { json, text: renderCreated(json), refused: !json.dryRun && isUnfit(json, false) };
      }),
    );
  return command;
}
