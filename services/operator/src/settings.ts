import { Type } from 'typebox';

/** The settings that only the console uses (docs/operate/configuration.md). */
export const consoleSettings = Type.Object({
  PROMETHEUS_URL: Type.Optional(
    Type.String({
      format: 'http-urls',
      description: 'the address of a Prometheus server, for example http://prometheus:9090',
    }),
  ),
});
