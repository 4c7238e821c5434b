import { type ContainerRuntimeClient, getReaper, LABEL_TESTCONTAINERS_SESSION_ID } from 'testcontainers';

/** Testcontainers reuses only a running container with this label. */
const LABEL = 'org.testcontainers.ryuk';

/**
 * Starts Ryuk, the part of Testcontainers that removes containers after the death of this process, or
 * connects to a Ryuk container that another of this user's processes has started.
 *
 * Ryuk's official image contains the label. If a container's image lacks the label, for example because a
 * company has rebuilt the image, this code adds the label to the container. Otherwise, each process would
 * start its own Ryuk.
 */
export async function ensureRyuk(client: ContainerRuntimeClient): Promise<void> {
  const container: typeof client.container = Object.create(client.container, {
    list: {
      value: async () =>
        (await client.container.list()).map((running) => ({
          ...running,
          Labels: { ...(isRyuk(running) && { [LABEL]: 'true' }), ...running.Labels },
        })),
    },
  });
  await getReaper(Object.create(client, { container: { value: container } }));
}

function isRyuk({ Image, Labels }: { Image: string; Labels: Record<string, string> }): boolean {
  return Labels[LABEL_TESTCONTAINERS_SESSION_ID] !== undefined && /\bryuk\b/.test(Image);
}
