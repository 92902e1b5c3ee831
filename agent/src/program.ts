import about from "../package.json" with { type: "json" };
import { keyRefusedExitCode } from "@sonde/proto/http/agents/install";

export interface CommandContext {
  args: string[];
  env: NodeJS.ProcessEnv;
  out: (line: string) => void;
  err: (line: string) => void;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  signal: AbortSignal;
}

/** Returns the exit code, or throws Exit. */
export type AgentCommand = (ctx: CommandContext) => Promise<number>;

/** A service manager restarts the agent only after `failure`. */
export const agentExitCodes = {
  success: 0,
  failure: 1,
  usage: 2,
  notConfigured: 3,
  refused: keyRefusedExitCode,
} as const;

/** Ends the program with a message for the user, without a stack. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const agentVersion: string = about.version;
export const userAgent = `sonde-agent/${agentVersion}`;

export const help = `sonde-agent: reports the state of this machine to a Sonde server

  sonde-agent register --server <address> [--interval <seconds>] [--name <name>]
                       [--ca-file <pem>] [--allow-http] [--token-file <file>]
      Registers this machine. The one-time token is read from standard input, or from a file that is then deleted.
      --interval    how often to report, 1 to 3600 seconds (10)
      --ca-file     the authority that signs the server's certificate, where it is not a public one
      --allow-http  plain HTTP to a server that is not this machine
  sonde-agent run               reports until it is stopped
  sonde-agent status [--json]   whether it runs, the last report, samples that wait
  sonde-agent doctor            what is collected, what is left out and why, TLS and clock
  sonde-agent uninstall --yes   deletes the key and all that waits
  sonde-agent --help, --version

Environment:
  CA_FILE                     certificates in PEM to trust beside the public ones, or beside --ca-file
  SONDE_AGENT_DIR             where key and waiting samples lie (root: /var/lib/sonde-agent)
  SONDE_AGENT_INTERVAL        seconds, instead of the registered interval
  SONDE_AGENT_NETWORK_MOUNTS  1: measure NFS, CIFS and other network mounts too
  SONDE_AGENT_SPOOL_MIB       how much may wait on disk while the server is away (16)
  SONDE_AGENT_HOST_ROOT       where a container sees its host's /, such as /host
  SONDE_AGENT_SCOPE           host or container, instead of what is found out

Exit codes: 0 done; 1 failed, worth another try; 2 wrong usage; 3 not registered; 4 token or key refused
`;
