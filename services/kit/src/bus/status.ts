import { AuthorizationError, type NatsConnection, PermissionViolationError } from "@nats-io/nats-core";
import type { Log } from "../service/log.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { counter } from "../telemetry/metrics.ts";

const disconnects = counter("sonde_bus_disconnects_total", "Lost connections to NATS");

export type BusStatusOptions = {
  nc: NatsConnection;
  log: Log;
  /** Runs after each reconnect, one at a time. Waits for a JetStream that refuses, and rejects once `given` is aborted. */
  ensure: (given: AbortSignal) => Promise<void>;
  /** The connection ended for good, though we did not close it. */
  onLost: () => void;
};

/** Follows a connection from now on, and logs when it is lost, restored, refused or closed. */
export function watchBusStatus({ nc, log, ensure, onLost }: BusStatusOptions) {
  const oneAtATime = createQueue();
  const listeners = new Set<() => void>();
  let connected = true;
  let isClosing = false;
  let refused = false;
  /** Of the newest connection; aborted when it is lost. */
  let connection = new AbortController();

  // Beside the loop below: JetStream may refuse for hours (a full disk), and the connection may be lost meanwhile.
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
          if (!current.signal.aborted) log.error({ err: error }, "work after the reconnect to NATS failed");
        });
      } else if (status.type === "error" && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        log.warn({ operation, subject }, "permission denied by NATS (see proto/permissions.ts)");
      } else if (status.type === "error" && status.error instanceof AuthorizationError && !refused) {
        refused = true; // It is tried four times a second.
        log.warn("authentication refused by NATS: wrong user or password (see NATS_URL)");
      }
    }
  };
  read().catch((error: unknown) =>
    log.error({ err: error }, "the status of the NATS connection can no longer be read"),
  );
  void nc.closed().then((error) => {
    end();
    if (isClosing) return;
    log.fatal({ err: error ?? undefined }, "connection to NATS closed; the process ends");
    onLost();
  });

  return {
    connected: () => connected && !nc.isClosed(),
    /** Calls `run` after each reconnect, once streams and buckets are ensured; returns how to stop that. */
    onReconnect: (run: () => void): (() => void) => {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    /** We close the connection ourselves: listeners are no longer notified. */
    closing() {
      isClosing = true;
      listeners.clear();
    },
  };
}
