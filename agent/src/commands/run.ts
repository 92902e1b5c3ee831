import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type AgentConfig, type AgentEnvironment, loadConfig, readAgentEnvironment } from "../config.ts";
import { type AgentCommand, type CommandContext, Exit, agentExitCodes, userAgent, agentVersion } from "../program.ts";
import { httpClient, parseServer } from "../http-client.ts";
import { takeLock, writeStatus } from "../files.ts";
import { createReporter, hostChanges, KeyRefused } from "../reporter.ts";
import { encodeSample } from "../encode.ts";
import { collectorFor } from "../collectors/linux.ts";
import { monotonicNowMs } from "../collectors/clock.ts";
import { type Spool, openSpool } from "../spool.ts";
import { sendReport } from "../transport.ts";

/** Period of the first sample's rates; later ones cover their interval. */
const warmUpMs = 1000;

const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

async function work(ctx: CommandContext, settings: AgentEnvironment, config: AgentConfig, spool: Spool): Promise<void> {
  const log = (line: string) => ctx.err(line);
  const collector = collectorFor(settings);
  const client = httpClient(config.server, { ca: config.ca, authorities: settings.authorities, userAgent });
  const changes = hostChanges(async () => ({ ...(await collector.host()), version: agentVersion }), monotonicNowMs);
  const ownInterval = settings.intervalSeconds ?? config.intervalSeconds;
  const startedAt = new Date().toISOString();
  const stop = new AbortController();
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  let intervalSeconds = ownInterval;
  let sending: Promise<void> | undefined;
  let failure: unknown;

  const reporter = createReporter({
    spool,
    limits: config.limits,
    send: async (samples) => {
      const host = await changes.unsent();
      const outcome = await sendReport(client, { key: config.key, samples, host, intervalSeconds, nowMs: Date.now });
      if (host !== undefined && outcome.kind === "accepted" && !outcome.resendHost) changes.sent(host);
      return outcome;
    },
    wait,
    nowMs: Date.now,
    random: Math.random,
    log,
    onInterval(seconds) {
      const requested = seconds ?? ownInterval;
      if (requested !== intervalSeconds) log(`The interval is now ${requested} s`);
      intervalSeconds = requested;
    },
    onState: () => saveStatus(),
  });

  function saveStatus(): void {
    const { lastReportAtMs, lastError, clockSkewMs } = reporter.state;
    try {
      writeStatus(settings.directory, {
        pid: process.pid,
        version: agentVersion,
        startedAt,
        updatedAt: new Date().toISOString(),
        lastReportAt: lastReportAtMs === undefined ? undefined : new Date(lastReportAtMs).toISOString(),
        lastError,
        queued: spool.waiting(),
        lost: spool.lost(),
        intervalSeconds,
        clockSkewMs,
        rssBytes: process.memoryUsage.rss(),
      });
    } catch {
      // A full disk must not stop reports.
    }
  }

  const footprint = () => ({ rss: process.memoryUsage.rss(), queued: spool.waiting() });

  function startSending(): void {
    sending ??= reporter
      .drain(signal)
      .catch((error: unknown) => {
        failure = error;
        stop.abort();
      })
      .finally(() => (sending = undefined));
  }

  try {
    await collector.collect();
    await wait(Math.min(warmUpMs, intervalSeconds * 1000), signal);
    let dueMs = monotonicNowMs();
    while (!signal.aborted) {
      spool.append(encodeSample(await collector.collect(), footprint()));
      startSending();
      dueMs += intervalSeconds * 1000;
      // After a suspend, missed samples are skipped.
      if (dueMs < monotonicNowMs()) dueMs = monotonicNowMs() + intervalSeconds * 1000;
      await wait(dueMs - monotonicNowMs(), signal);
    }
    await sending;
  } finally {
    client.close();
    saveStatus();
  }
  if (failure instanceof KeyRefused) {
    throw new Exit(
      agentExitCodes.refused,
      `The server rejected this agent's key (${failure.message}). It was revoked, deleted or registered again elsewhere. ` +
        "Create a new token in the web app and run `sonde-agent register` with it",
    );
  }
  if (failure !== undefined) throw failure;
}

/** Reports until stopped. Unsent samples stay in the spool. */
export const run: AgentCommand = async (ctx) => {
  parseArgs({ args: ctx.args, options: {}, strict: true });
  const settings = readAgentEnvironment(ctx.env);
  const config = loadConfig(settings.directory);
  parseServer(config.server, config.allowHttp);
  const release = takeLock(settings.directory);
  const spool = openSpool(join(settings.directory, "spool"), { maxBytes: settings.spoolBytes });
  try {
    ctx.err(`Agent ${config.agentId} reports to ${config.server} (${spool.waiting()} samples queued)`);
    await work(ctx, settings, config, spool);
    return agentExitCodes.success;
  } finally {
    spool.close();
    release();
  }
};
