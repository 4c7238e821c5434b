/** A program to run; the log gets what it prints. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly log: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** What the parent may ask; each request is answered once, under its id. */
export type KeeperRequest =
  /** Starts a program as the leader of a process group of its own; answers with its process id. */
  | { readonly id: number; readonly ask: 'start'; readonly launch: Launch }
  /** SIGTERM to a group, after `graceMs` SIGKILL (0: at once); answers when it is gone. */
  | { readonly id: number; readonly ask: 'stop'; readonly pid: number; readonly graceMs: number }
  /** Stops everything, deletes the folder and exits; the exit is the answer. */
  | { readonly id: number; readonly ask: 'end' };

export type KeeperMessage =
  | { readonly tell: 'ready' }
  | { readonly tell: 'answer'; readonly id: number; readonly pid?: number; readonly error?: string }
  | { readonly tell: 'exited'; readonly pid: number; readonly how: string };
