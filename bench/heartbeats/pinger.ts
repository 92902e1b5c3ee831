import { connect, type Socket } from "node:net";

/**
 * Pings heartbeat addresses at a fixed rate, without waiting for responses: pinger.ts <port> <heartbeats> <rate> <ms>
 * <connections> <kept|fresh>. Sends its parent the number of pings by status.
 */
const [port, heartbeats, rate, durationMs, max, kind] = process.argv.slice(2);
const [perTick, tickMs] = [Number(rate) / 100, 10];
/** Pings that wait for a free connection. With more than these, the rate is not kept. */
const maxWaiting = Number(rate);
const again = 100;

type Call = { number: number };
type Connection = { socket: Socket; call: Call | null };

const idle: Connection[] = [];
const waiting: Call[] = [];
const counts: Record<string, number> = {};
let [open, begun] = [0, 0];
let isOver = false;

export const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function textOf({ number }: Call): string {
  const caller = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  const head = `GET /ping/${uuidOf(number % Number(heartbeats))}?rid=${uuidOf(number)} HTTP/1.1\r\nHost: localhost\r\n`;
  return `${head}X-Forwarded-For: ${caller}\r\n${kind === "fresh" ? "Connection: close\r\n" : ""}\r\n`;
}

function settle(connection: Connection, status: string): void {
  const { call } = connection;
  connection.call = null;
  if (call === null) return;
  counts[status] = (counts[status] ?? 0) + 1;
}

function start(connection: Connection, call: Call): void {
  connection.call = call;
  connection.socket.write(textOf(call));
}

function openConnection(first: Call): void {
  open += 1;
  const socket = connect(Number(port), "127.0.0.1");
  const connection: Connection = { socket, call: null };
  start(connection, first);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    // The gateway sends head and body in one write.
    settle(connection, chunk.toString("latin1", 9, 12));
    if (kind === "fresh") return void socket.destroy();
    const next = waiting.shift();
    if (next !== undefined) start(connection, next);
    else idle.push(connection);
  });
  socket.on("close", () => {
    open -= 1;
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    settle(connection, "closed");
    const next = waiting.shift();
    if (next !== undefined) setTimeout(() => openConnection(next), kind === "fresh" ? 0 : again);
  });
}

function call(): void {
  const next = { number: (begun += 1) };
  const connection = idle.pop();
  if (connection !== undefined) start(connection, next);
  else if (open < Number(max)) openConnection(next);
  else if (waiting.length < maxWaiting) waiting.push(next);
  else counts["late"] = (counts["late"] ?? 0) + 1;
}

if (import.meta.main) {
  const startedMs = performance.now();
  const tick = setInterval(() => {
    const passedMs = performance.now() - startedMs;
    isOver ||= passedMs >= Number(durationMs);
    const due = Math.floor((Math.min(passedMs, Number(durationMs)) / tickMs) * perTick);
    while (begun < due) call();
    const isQuiet = Object.values(counts).reduce((sum, count) => sum + count, 0) >= begun;
    if (!isOver || (!isQuiet && passedMs < Number(durationMs) + 15_000)) return;
    clearInterval(tick);
    process.send?.(counts, () => process.exit(0));
  }, tickMs);
}
