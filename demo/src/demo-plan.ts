import { abortable } from '@vitrine/runtime/abortable';
import { ensureEventsTopic } from './events-topic.ts';
import { greetingLines } from './greeting.ts';
import { type Demo, openDemo } from './open-demo.ts';
import type { Session, SessionPlan } from './session.ts';
import { enginesStep, feedStep, launchServices, readyStep, withAdmin } from './session-steps.ts';
import type { Step } from './steps.ts';

/**
 * The plan of `npm start`: publishes generated listings, and then changes to them.
 * @param forceDemo whether to publish even to a topic that already holds records
 */
export function demoPlan(forceDemo: boolean): SessionPlan {
  let demo: Demo | undefined;
  const topicStep = (session: Session): Step => {
    const { settings, signal, started } = session;
    return {
      title: `Topic ${settings.topic}`,
      run: async () => {
        const state = await withAdmin(session, (admin) => ensureEventsTopic(admin, settings.topic));
        if (state !== 'in use' || forceDemo)
          demo = await abortable(openDemo(session.kafka(), settings, started), signal);
        await launchServices(session);
        if (demo) return `Topic ${settings.topic}: ${state}`;
        return (
          `Topic ${settings.topic} already holds records, so no demo listings are published (\`npm ` +
          `start -- --demo\` publishes them)`
        );
      },
    };
  };
  const publishStep = ({ signal }: Session): Step => ({
    title: 'Demo listings',
    run: async (report) => {
      if (!demo) return 'No demo listings';
      const { data, publisher } = demo;
      const publishing = publisher.publish(
        data.events,
        () => report.progress(`${publisher.published} of ${data.events.length} events`),
        signal,
      );
      await abortable(publishing, signal);
      return `${data.listings.length} demo listings published in ${data.events.length} events`;
    },
  });
  return {
    steps: (session) => [
      enginesStep(session),
      topicStep(session),
      publishStep(session),
      readyStep(session),
      feedStep(session, () => demo?.data.complete),
    ],
    greeting: async ({ settings, hasConsole, engines }) =>
      greetingLines(settings, { hasDemo: demo !== undefined, hasConsole, engines }),
    changes: () => demo,
  };
}
