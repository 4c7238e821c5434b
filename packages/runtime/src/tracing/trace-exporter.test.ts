import { createRequire } from 'node:module';
import { expect } from 'chai';
import '../elasticsearch/index.ts';
import '../service/index.ts';
import { SettingsError } from '../settings.ts';
import { traceExporter } from './trace-exporter.ts';

describe('traceExporter', () => {
  it('is off unless a standard variable enables it', () => {
    expect(traceExporter({})).to.equal(undefined);
    expect(traceExporter({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).to.equal(undefined);
    expect(
      traceExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }),
    ).to.equal(undefined);
    expect(
      traceExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'TRUE' }),
    ).to.equal(undefined);
  });

  it('loads no exporter module while it is off', () => {
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.some((path) => path.includes('@opentelemetry/api'))).to.equal(true);
    expect(loaded.filter((path) => /@opentelemetry.(sdk|exporter|otlp|resources)/.test(path))).to.deep.equal(
      [],
    );
  });

  it('uses protobuf unless a variable selects JSON', () => {
    expect(traceExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).to.equal('otlp-proto');
    expect(traceExporter({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' })).to.equal(
      'otlp-proto',
    );
    expect(
      traceExporter({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }),
    ).to.equal('otlp-json');
    expect(traceExporter({ OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).to.equal(
      'console',
    );
  });

  it('refuses unsupported values, and names the variable', () => {
    expect(() => traceExporter({ OTEL_TRACES_EXPORTER: 'zipkin' })).to.throw(
      SettingsError,
      'OTEL_TRACES_EXPORTER="zipkin"',
    );
    expect(() =>
      traceExporter({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
    ).to.throw(SettingsError, 'http/protobuf');
  });
});
