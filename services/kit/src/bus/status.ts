import { AuthorizationError, type NatsConnection, PermissionViolationError } from "@nats-io/nats-core";
import type { Log } from "../service/log.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { counter } from "../telemetry/metrics.ts";

const disconnects = counter("sonde_bus_disconnects_total", "Lost connections to NATS");

export type BusStatusOptions = {
  nc: NatsConnection;
  log: Log;
  /** Runs after each reconnect, one at a time. Waits while JetStream is unavailable. */
  ensure: (given: AbortSignal) => Promise<void>;
  onLost: () => void;
};

export function watchBusStatus({ nc, log, ensure, onLost }: BusStatusOptions) {
  const oneAtATime = createQueue();
  const listeners = new Set<() => void>();
  let connected = true;
  let isClosing = false;
  let refused = false;
  /** Aborted when this connection is lost. */
  let connection = new AbortController();

  // Not awaited in the loop below: JetStream may fail for hours (a full disk), and the connection may be lost again.
  const afterReconnect = async ({ signal }: AbortController) => {
    await oneAtATime(() => ensure(signal));
    if (!signal.aborted) for (const listener of listeners) listener();
  };
  const end = () => {
    connected = false;
    connection.abort();
  };
  const read = async () => {
    for await (const status of nc.status()) {
      if (status.type === "disconnect") {
        end();
        disconnects.inc();
        log.warn({ server: status.server }, "disconnected from NATS");
      } else if (status.type === "reconnect") {
        connection.abort();
        const current = (connection = new AbortController());
        connected = true;
        refused = false;
        log.info({ server: status.server }, "reconnected to NATS");
        afterReconnect(current).catch((error: unknown) => {
          if (!current.signal.aborted) log.error({ err: error }, "restoring state after the NATS reconnect failed");
        });
      } else if (status.type === "error" && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        log.warn({ operation, subject }, "permission denied by NATS (see proto/permissions.ts)");
      } else if (status.type === "error" && status.error instanceof AuthorizationError && !refused) {
        refused = true; // Logged once: the client retries four times a second.
        log.warn("NATS authentication failed: wrong user or password (see NATS_URL)");
      }
    }
  };
  read().catch((error: unknown) => log.error({ err: error }, "reading the status of the NATS connection failed"));
  void nc.closed().then((error) => {
    end();
    if (isClosing) return;
    log.fatal({ err: error ?? undefined }, "NATS connection closed; the process exits");
    onLost();
  });

  return {
    connected: () => connected && !nc.isClosed(),
    onReconnect: (run: () => void): (() => void) => {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    closing() {
      isClosing = true;
      listeners.clear();
    },
  };
}
