import type { Caller } from "@sonde/kit/http/caller";
import type { Cidr } from "@sonde/kit/addresses";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { Role } from "@sonde/proto/http/users";
import type { ParameterizedContext } from "koa";

/** `hash` is the hex SHA-256 of the token, which is never stored. */
export type Session = {
  hash: string;
  userId: number;
  username: string;
  email: string | undefined;
  role: Role;
  expiresAtMs: number;
  userCreatedAt: string;
  /** Set for tokens of API keys; its scopes and networks restrict what `role` allows. */
  key?: KeyRights | undefined;
};
export type KeyRights = { id: number; scopes: readonly KeyScope[]; allowFrom: readonly Cidr[] };

export type State = Caller & {
  address: string;
  /** Path of PUBLIC_URL. */
  base: string;
  session: Session | null;
  /** `null` for Sonde's own hosts. */
  hostedPage: string | null;
  /** Route template for metrics and logs; never a path with ids. */
  route: string;
  /** Streams are excluded from latency metrics. */
  isStream: boolean;
};

export type Context = ParameterizedContext<State>;
export type Next = () => Promise<unknown>;
