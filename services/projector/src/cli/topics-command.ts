import { Command } from 'commander';
import { type CreateOptions, createTopics } from '../topics/create-topics.ts';
import { inspectTopics, isUnfit, type TopicOperation } from '../topics/inspect-topics.ts';
import { renderCreated, renderTopics } from '../topics/render-topics.ts';
import { PARTITIONS } from '../topics/topic-plan.ts';
import type { Action } from './command-action.ts';
import { positive } from './integers.ts';

/** The commands that check and create the topics. */
export function topicsCommand(action: Action<TopicOperation>): Command {
  const command = new Command('topics').description('the events topic and the dead-letter topic');
  command
    .command('check')
    .description('whether they are fit: partitions, copies, retention, compaction, sizes; exits 3 on an error')
    .option('--strict', 'exit 3 on a warning too', false)
    .action(
      action(async (operation, _tell, { strict }: { strict: boolean }) => {
        const json = await inspectTopics(operation);
        return { json, text: renderTopics(json), refused: isUnfit(json, strict) };
      }),
    );
  command
    .command('create')
    .description('make those that do not exist; one that exists is never altered')
    .option('--partitions <n>', `of each that is made; those of the events topic unless told, ${PARTITIONS} where there is none`, positive)
    .option('--replication-factor <n>', 'copies; 3 unless told, or one on each broker where there are fewer', positive)
    .option('--min-insync-replicas <n>', 'copies that must have a record before it is acknowledged; one less than all unless told', positive)
    .option('--dry-run', 'only ask the brokers whether they would', false)
    .action(
      action(async (operation, _tell, options: CreateOptions) => {
        const json = await createTopics(operation, options);
        return { json, text: renderCreated(json), refused: !json.dryRun && isUnfit(json, false) };
      }),
    );
  return command;
}
