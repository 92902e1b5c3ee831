/** One request to a provider. */
export type HttpRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
};

/** The response: at most 64 KiB of it. Redirects are not followed. */
export type HttpAnswer = {
  statusCode: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
};

/** The only ways to send to configured addresses: each checks the dialled address with the egress guard. */
export type ChannelEgress = {
  /**
   * Sends a request on a fresh connection, within 15 s.
   * @throws EgressFault
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /**
   * An address of a host that may be dialled, for protocols other than HTTP.
   * @throws EgressFault
   */
  addressOf(host: string): Promise<string>;
};

/** There was no response. `blocked`: the guard refuses the address. The message contains only the host of a URL. */
export class EgressFault extends Error {
  override readonly name = "EgressFault";
  readonly kind: "blocked" | "dns" | "connect" | "tls" | "timeout" | "protocol";
  /** The request was written: the provider may have taken it. */
  readonly sent: boolean;

  constructor(kind: EgressFault["kind"], message: string, sent = false) {
    super(message);
    this.kind = kind;
    this.sent = sent;
  }
}
