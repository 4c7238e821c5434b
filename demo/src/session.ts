import type { KafkaClient } from '@vitrine/kafka';
import type { Screen } from './screen.ts';
import type { DemoSettings } from './settings.ts';
import { runSteps, type Step } from './steps.ts';
import { runTrickle, type TrickleOptions } from './trickle.ts';

export interface SessionOptions {
  settings: DemoSettings;
  env: NodeJS.ProcessEnv;
  screen: Screen;
  /** Ends the session when the signal aborts. A service that dies also ends the session. */
  ending: AbortController;
}

/** A start in progress. Each step adds what later steps need. */
export interface Session extends SessionOptions {
  readonly signal: AbortSignal;
  /** Ends everything that the steps started, in reverse order. */
  readonly started: AsyncDisposableStack;
  /** The settings with which other processes reach the engines. */
  engines: Record<string, string>;
  /** The services' settings that this command sets. */
  serviceEnv: Record<string, string>;
  /** @throws Error before the step that starts Kafka */
  kafka(): KafkaClient;
  hasConsole: boolean;
  /** The time since the start, formatted for people. */
  elapsed(): string;
}

/** What distinguishes a command: where its listings come from. */
export interface SessionPlan {
  steps(session: Session): Step[];
  /** The lines to print once everything runs. */
  greeting(session: Session): Promise<string[]>;
  /** The source of the changes to publish afterwards, if this process publishes any. */
  changes(): TrickleOptions['source'];
}

/**
 * The composition root of `npm start` and `npm run start:database`: runs the steps of a plan, prints the
 * addresses, and shows the feed's counts until `ending` aborts. Rejects with the reason when all started
 * processes are gone.
 */
export async function runSession(options: SessionOptions, plan: SessionPlan): Promise<never> {
  const { settings, screen, ending } = options;
  const began = performance.now();
  const session: Session = {
    ...options,
    signal: ending.signal,
    started: new AsyncDisposableStack(),
    engines: {},
    serviceEnv: {},
    kafka: () => {
      throw new Error('the step that starts Kafka must run first');
    },
    hasConsole: false,
    elapsed: () => `${((performance.now() - began) / 1000).toFixed(1)} s`,
  };
  try {
    await runSteps(plan.steps(session), screen);
    for (const line of await plan.greeting(session)) screen.line(line);
    return await runTrickle({
      source: plan.changes(),
      feedsUrl: settings.feedsUrl,
      show: (status) => screen.status(status),
      signal: ending.signal,
    });
  } finally {
    screen.keepStatus();
    screen.line('Stopping …');
    await session.started.disposeAsync();
  }
}
