/** One request to a provider. */
export type HttpRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
};

/** What it answered: at most 64 KiB of it. Redirects are not followed. */
export type HttpAnswer = {
  statusCode: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
};

/** The only ways out to addresses that people named: each asks the egress guard about the address that is dialled. */
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

/** No answer came. `blocked`: the guard refuses the address. The message holds no part of a URL but its host. */
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
