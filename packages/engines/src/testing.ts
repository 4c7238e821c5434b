// The parts of this package that tests and the bench use directly: the cache, the downloads, Java, free
// ports, and the settings for secure engines.
export { cacheFolder } from './download/cache-folder.ts';
export { findDistribution } from './download/distribution.ts';
export { ENGINES } from './download/distributions.ts';
export { chooseVersions, pinnedVersions } from './download/versions.ts';
export { findExecutable, findJavas, pickJava } from './jvm/java-home.ts';
export { KAFKA_SETTINGS, kafkaProperties, SEVERAL_BROKERS } from './jvm/kafka-process.ts';
export { freePorts } from './ports.ts';
export { createSecurity, fileRealm, kafkaSecurity, scramArguments } from './security.ts';
export { connectSettings } from './sources/connect.ts';
