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
      --interval    seconds between reports, 1 to 3600 (default: 10)
      --ca-file     CA certificate of the server, if it is not publicly trusted
      --allow-http  allows plain HTTP to a server on another machine
  sonde-agent run               reports until stopped
  sonde-agent status [--json]   shows whether the agent is running, its last report and queued samples
  sonde-agent doctor            shows what is collected and skipped, and checks TLS and the clock
  sonde-agent uninstall --yes   deletes the key and all queued samples
  sonde-agent --help, --version

Environment:
  CA_FILE                     PEM file with CA certificates to trust in addition to the public ones and --ca-file
  SONDE_AGENT_DIR             folder for the key and queued samples (root: /var/lib/sonde-agent)
  SONDE_AGENT_INTERVAL        report interval in seconds, overriding the registered one
  SONDE_AGENT_NETWORK_MOUNTS  set to 1 to include NFS, CIFS and other network mounts
  SONDE_AGENT_SPOOL_MIB       maximum MiB of samples queued on disk while the server is unreachable (default: 16)
  SONDE_AGENT_HOST_ROOT       where the host's / is mounted in the container, such as /host
  SONDE_AGENT_SCOPE           host or container, overriding detection

Exit codes: 0 success; 1 failure, can be retried; 2 invalid usage; 3 not registered; 4 token or key rejected
`;
