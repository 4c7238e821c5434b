// Parts of the engines that tests and the bench use directly: the cache, the downloads, Java and free ports.
export { cacheFolder } from './download/cache-folder.ts';
export { findDistribution, nameDistribution, POM } from './download/distribution.ts';
export { pinnedVersions } from './download/versions.ts';
export { findExecutable, findJavas, pickJava } from './jvm/java-home.ts';
export { freePorts } from './ports.ts';
