import { createTopic } from '@vitrine/kafka';
import type { Deployment } from './deployment.ts';
import { eventually } from './service-process.ts';

/** Deletes the events topic, and waits until no broker knows it. */
export async function deleteTopic({ admin, topic }: Deployment): Promise<void> {
  await admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is gone', async () => !(await admin.listTopics()).includes(topic));
}

/**
 * Deletes the events topic and creates it again under its name. The new topic is empty and has another id.
 */
export async function recreateTopic(deployment: Deployment, numPartitions: number): Promise<void> {
  await deleteTopic(deployment);
  const { admin, topic } = deployment;
  // A request can fail on a busy broker although it creates the topic.
  await eventually('the topic is created', async () => {
    await createTopic(admin, { topic, numPartitions, replicationFactor: 1 }).catch(() => false);
    return (await admin.listTopics()).includes(topic);
  });
}
