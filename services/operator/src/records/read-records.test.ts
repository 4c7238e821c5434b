import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessRule, KafkaAdmin } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { readRecords } from './read-records.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const rules = JSON.parse(readFileSync(join(ROOT, 'infra/kafka/acls.json'), 'utf8')) as AccessRule[];
const covered = rules.find(({ principal, resource }) => /cli$/.test(principal) && resource.type === 'group');

describe("a command's temporary group", () => {
  it("has a name that the command line's permissions cover", async () => {
    const groups: string[] = [];
    const admin = {
      fetchTopicMetadata: () => Promise.reject(new Error('no broker')),
      fetchTopicOffsets: async () => [],
      deleteGroup: async (id: string) => void groups.push(id),
    } as unknown as KafkaAdmin;
    const settings = { KAFKA_BROKERS: 'a:9092', KAFKA_TLS: 'false', CONSUMER_GROUP: 'feed-projector' };
    const { signal } = new AbortController();
    const reading = { admin, log: createLog('cli', 'silent'), settings, signal };
    const range = [{ partition: 0, from: 0n, to: 1n }];
    const error = await readRecords(reading, 'topic', range, () => undefined).catch(String);
    expect(error).to.equal('Error: no broker');
    expect(groups).to.have.length(1);
    expect(groups[0]).to.match(new RegExp(`^${covered?.resource.name}`));
  });
});
