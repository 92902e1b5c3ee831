import type { CheckType } from "@sonde/proto/http/kinds";
import { dns } from "./dns.tsx";
import { http } from "./http.tsx";
import type { CheckValues, KindForm } from "./kind-form.ts";
import { tcp } from "./tcp.tsx";
import { tls } from "./tls.tsx";

const forms: { [Type in CheckType]: KindForm<Type, CheckValues> } = { http, tcp, dns, tls };

/** The form and the summary of a kind. Its functions take checks and values of that kind alone. */
export function formOf(type: CheckType): KindForm<CheckType, CheckValues> {
  return forms[type];
}
