// The engines that a source of listings needs: a marketplace's database, Kafka Connect and a schema registry.
export { type ConnectServer, startConnect } from './sources/connect.ts';
export { type PostgresOptions, type PostgresServer, startPostgres } from './sources/postgres.ts';
export { type RegistryServer, startRegistry } from './sources/registry.ts';
