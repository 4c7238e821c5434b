export function onParentGone(callback: () => void): void;
