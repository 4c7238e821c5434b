/** A program to run. Its output goes to the log. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. The program inherits nothing. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly log: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Requests of the parent. Each receives one response with its id. */
export type KeeperRequest =
  /** Starts a program as the leader of a new process group. The response is its process id. */
  | { readonly id: number; readonly ask: 'start'; readonly launch: Launch }
  /** Sends SIGTERM to a group, and SIGKILL after `graceMs` (0: immediately). Responds when the group is gone. */
  | { readonly id: number; readonly ask: 'stop'; readonly pid: number; readonly graceMs: number }
  /** Stops everything, deletes the folder and exits. The exit is the response. */
  | { readonly id: number; readonly ask: 'end' };

export type KeeperMessage =
  | { readonly tell: 'ready' }
  | { readonly tell: 'answer'; readonly id: number; readonly pid?: number; readonly error?: string }
  | { readonly tell: 'exited'; readonly pid: number; readonly how: string };
