import { create, toBinary } from "@bufbuild/protobuf";
import type { TimerClock } from "@sonde/kit/time/clock";
import { packEntries } from "@sonde/kit/bus/pack";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, partitions } from "@sonde/proto/subjects";
import { runnerMetrics } from "../telemetry.ts";

export interface PublisherOptions {
  clock: TimerClock;
  /** Resolves once the batch is stored, rejects when it is not. `id` is the same at each attempt. */
  send(partition: number, bytes: Uint8Array, id: string): Promise<void>;
  connected(): boolean;
  /** The largest message that the bus takes now, in bytes. */
  maxBytes(): number;
  /** Makes ids of batches unique among runners. */
  runner: string;
  maxBufferBytes?: number;
  /** Results were given up: the buffer was full, or they fit no message (`fault`: why one could not be written). */
  onDropped?(results: number, why: "buffer" | "size" | "fault", fault?: unknown): void;
}

interface Batch {
  number: number;
  bytes: Uint8Array;
  results: number;
}
interface PartitionQueue {
  open: CheckResult[];
  waiting: Batch[];
  sending: boolean;
  /** What is open leaves as soon as what is being sent has arrived. */
  urgent: boolean;
}

/**
 * Each message costs the bus a write to its disk and two readers a wake-up, and only results that change nothing wait.
 * At 25 checks a second 7.3 messages a second leave, with a wait of one second 12.1. What waits is lost with a runner
 * that is killed.
 */
const flushEveryMs = 2000;
const flushAt = 256;
const retryAfterMs = 1000;

/** A whole ResultBatch of one result. */
function encode(result: CheckResult): Uint8Array {
  const batch = result.confirms === undefined ? { results: [result] } : { opinions: [result] };
  return toBinary(ResultBatchSchema, create(ResultBatchSchema, batch));
}

const withoutEvidence = ({ evidence: _evidence, ...result }: CheckResult): CheckResult => result;

/** Hands results over to the bus in batches, in order within a partition. */
export function createResultPublisher(options: PublisherOptions) {
  const { clock, send, connected, runner, maxBufferBytes = 32 * 1024 * 1024 } = options;
  const queues = Array.from({ length: partitions }, (): PartitionQueue => ({
    open: [],
    waiting: [],
    sending: false,
    urgent: false,
  }));
  let openResults = 0;
  let bufferBytes = 0;
  let batches = 0;
  let cancelFlush: (() => void) | undefined;
  let cancelRetry: (() => void) | undefined;
  let onIdle: (() => void) | undefined;

  /** One by one: a result that cannot be written costs no other its message. Many at once cost less than each as it comes. */
  function encodeAll(results: readonly CheckResult[]): Uint8Array[] {
    // Evidence never takes the place of results that wait.
    const isCrowded = bufferBytes > maxBufferBytes / 4;
    return results.flatMap((result) => {
      try {
        return [encode(isCrowded ? withoutEvidence(result) : result)];
      } catch (error) {
        giveUp(1, "fault", error);
        return [];
      }
    });
  }

  function close(queue: PartitionQueue) {
    queue.urgent = false;
    const { messages, tooLarge } = packEntries(encodeAll(queue.open), options.maxBytes());
    openResults -= queue.open.length;
    queue.open = [];
    if (tooLarge > 0) giveUp(tooLarge, "size");
    for (const { bytes, entries } of messages) {
      queue.waiting.push({ number: ++batches, bytes, results: entries });
      bufferBytes += bytes.length;
    }
    while (bufferBytes > maxBufferBytes && dropOldest());
    runnerMetrics.bufferBytes.set(bufferBytes);
  }

  /** False where nothing is left but what is being sent. */
  function dropOldest(): boolean {
    const age = ({ waiting, sending }: PartitionQueue) => waiting[sending ? 1 : 0]?.number ?? Number.POSITIVE_INFINITY;
    const queue = queues.reduce((oldest, other) => (age(other) < age(oldest) ? other : oldest));
    const [dropped] = queue.waiting.splice(queue.sending ? 1 : 0, 1);
    if (dropped === undefined) return false;
    bufferBytes -= dropped.bytes.length;
    giveUp(dropped.results, "buffer");
    return true;
  }

  function giveUp(results: number, why: "buffer" | "size" | "fault", fault?: unknown) {
    runnerMetrics.droppedResults.inc(results);
    options.onDropped?.(results, why, fault);
  }

  /** One batch of a partition at a time, so that a retried one is never overtaken. */
  async function drain(partition: number) {
    const queue = queues[partition]!;
    if (queue.sending) return;
    queue.sending = true;
    for (let batch = queue.waiting[0]; batch !== undefined && connected(); batch = queue.waiting[0]) {
      try {
        await send(partition, batch.bytes, `${runner}.${batch.number}`);
      } catch {
        retryLater();
        break;
      }
      queue.waiting.shift();
      bufferBytes -= batch.bytes.length;
      if (queue.waiting.length === 0 && queue.urgent) close(queue);
    }
    queue.sending = false;
    runnerMetrics.bufferBytes.set(bufferBytes);
    if (isIdle()) onIdle?.();
  }

  function push(partition: number) {
    close(queues[partition]!);
    void drain(partition);
  }

  function pushAll() {
    cancelFlush?.();
    cancelFlush = undefined;
    for (let partition = 0; partition < partitions; partition++) {
      if (queues[partition]!.open.length > 0 || queues[partition]!.waiting.length > 0) push(partition);
    }
  }

  function retryLater() {
    cancelRetry ??= clock.setTimeout(() => {
      cancelRetry = undefined;
      pushAll();
    }, retryAfterMs);
  }

  const isIdle = () => openResults === 0 && bufferBytes === 0;

  return {
    /** `urgent`: a verdict that a user waits for; it is sent at once instead of with its batch. */
    add(result: CheckResult, urgent: boolean) {
      const partition = partitionOf(result.monitorId);
      const queue = queues[partition]!;
      queue.open.push(result);
      openResults++;
      queue.urgent ||= urgent;
      if (urgent && !queue.sending) push(partition);
      else if (openResults >= flushAt) pushAll();
      cancelFlush ??= clock.setTimeout(pushAll, flushEveryMs);
    },
    /** The bus is back. */
    retry: pushAll,
    /** Sends all there is; resolves when everything was stored, or when `patienceMs` are over. */
    async flush(patienceMs: number) {
      pushAll();
      if (isIdle()) return;
      const done = Promise.withResolvers<void>();
      onIdle = done.resolve;
      const cancel = clock.setTimeout(done.resolve, patienceMs);
      await done.promise;
      cancel();
    },
    stop() {
      cancelFlush?.();
      cancelRetry?.();
    },
  };
}

export type ResultPublisher = ReturnType<typeof createResultPublisher>;
