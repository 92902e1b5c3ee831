import { connect } from "node:net";

/** Whether a host accepts or refuses a connection to this address before the signal aborts. Never rejects. */
export type TryConnect = (address: string, port: number, signal: AbortSignal) => Promise<boolean>;

/** Opens a connection and closes it again; nothing is sent. */
export const tryConnect: TryConnect = (address, port, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const socket = connect({ host: address, port });
    const end = (answered: boolean) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve(answered);
    };
    const onAbort = () => end(false);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => end(true));
    // It stays: an error may come after the end.
    socket.on("error", (error) => end("code" in error && error.code === "ECONNREFUSED"));
  });
