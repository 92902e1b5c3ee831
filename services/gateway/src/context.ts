import type { Caller } from "@sonde/kit/http/caller";
import type { Cidr } from "@sonde/kit/addresses";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { Role } from "@sonde/proto/http/users";
import type { ParameterizedContext } from "koa";

/** A session as the gateway knows it; `hash` is the hex SHA-256 of its token, which is kept nowhere. */
export type Session = {
  hash: string;
  userId: number;
  username: string;
  email: string | undefined;
  role: Role;
  expiresAtMs: number;
  userCreatedAt: string;
  /** Where it is the token of an API key; its scopes and networks bound what `role` allows. */
  key?: KeyRights | undefined;
};
export type KeyRights = { id: number; scopes: readonly KeyScope[]; allowFrom: readonly Cidr[] };

export type State = Caller & {
  /** The client's own address, behind any trusted proxies. */
  address: string;
  session: Session | null;
  /** The page that the request's host is for, by its slug; null: the host is Sonde's own. */
  hostedPage: string | null;
  /** The route's template, for figures and the log; never a path with its ids. */
  route: string;
  /** A stream's length is no latency. */
  isStream: boolean;
};

export type Context = ParameterizedContext<State>;
export type Next = () => Promise<unknown>;
