// Parts of the engines that tests and the bench use directly: the cache, the downloads, Java and free ports.
export { cacheFolder } from './download/cache-folder.ts';
export { findDistribution } from './download/distribution.ts';
export { ENGINES } from './download/distributions.ts';
export { chooseVersions, pinnedVersions } from './download/versions.ts';
export { findExecutable, findJavas, pickJava } from './jvm/java-home.ts';
export { freePorts } from './ports.ts';
export { connectSettings } from './sources/connect.ts';
