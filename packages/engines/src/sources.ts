// The engines on the side of a source of listings: a marketplace's database, Kafka Connect, a schema registry.
export { type ConnectServer, startConnect } from './sources/connect.ts';
export { type PostgresOptions, type PostgresServer, startPostgres } from './sources/postgres.ts';
export { type RegistryServer, startRegistry } from './sources/registry.ts';
