/** How the command ends. Scripts rely on these numbers: never change one. */
export const exitCode = {
  ok: 0,
  /** The work was done, but its result is not good: it cannot fit, an undo was refused, a check found a fault, a run failed. */
  notGood: 1,
  /** Options or arguments are wrong. */
  usage: 2,
  /** A transcript, state file or configuration could not be read, or holds nothing that could be sent. */
  unreadable: 3,
  /** The output could not be written, or was in the way. */
  unwritable: 4,
  /** A fault of this program. */
  fault: 5,
  /** Interrupted from the keyboard. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The table that `--help` shows. */
export const exitCodeHelp = `Exit codes:
  0    done
  1    done, but the result is not good: it cannot fit, an undo was refused, a check or a run failed
  2    wrong options or arguments
  3    a file or the configuration could not be read, or nothing in it could be sent
  4    the output could not be written, or exists already (see --force)
  5    a fault of this program; THROUGHLINE_DEBUG=1 shows where
  130  interrupted`;
