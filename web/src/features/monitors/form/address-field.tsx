import { type CheckType, checkTypes } from "@sonde/proto/http/monitors/kinds";
import { type FieldPath, get, useFormContext, type UseFormReturn, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { guessKind } from "../../../entities/kinds/guess.ts";
import type { CheckFields } from "../../../entities/kinds/kind-form.ts";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { hostAndPort, withScheme } from "../../../lib/typed.ts";
import { Field } from "../../../ui/field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { emptyCheck } from "../kinds/values.ts";
import type { FormValues } from "./form-values.ts";

type Form = Pick<UseFormReturn<FormValues>, "getValues" | "setValue">;

function fill({ setValue }: Form, type: CheckType, values: CheckFields) {
  for (const [name, value] of Object.entries(values)) {
    if (name in kindForms[type].fields)
      setValue(`${type}.${name}` as FieldPath<FormValues>, value as never, { shouldDirty: true });
  }
}

/** Fields that an address may contain. */
const guessed = ["url", "host", "port", "domain", "username", "password", "database", "tls", "service", "recordType"];

/**
 * Sets the address, and the fields that it contains. Returns the kind guessed from it. Also empties the fields of the
 * previous kind, or another server could get a password that was part of an earlier address.
 */
export function readAddress(form: Form, previous: CheckType, address: string): CheckType {
  const { type, values } = guessKind(address);
  form.setValue("address", address, { shouldDirty: true });
  for (const each of new Set([previous, type])) {
    const empty = Object.entries(emptyCheck(each)).filter(([name]) => guessed.includes(name));
    fill(form, each, { ...Object.fromEntries(empty), ...(each === type && values) });
  }
  return type;
}

type Typed = { url?: string; host?: string; domain?: string; port?: string };

function serverOf(type: CheckType, { url, host, domain, port = "" }: Typed, address: string) {
  if (url !== undefined) {
    const whole = withScheme(url);
    const server = URL.canParse(whole) ? new URL(whole) : undefined;
    return { host: server?.hostname.replace(/^\[|\]$/g, "") ?? "", port: server?.port ?? "" };
  }
  // A default port belongs to this kind, unless it was typed.
  const isTyped = port !== emptyCheck(type)["port"] || address.includes(`:${port}`);
  return { host: host ?? domain ?? "", port: isTyped ? port : "" };
}

/** Copies host and port of this kind to other kinds, and to addresses that are still empty. */
export function shareAddress(form: Form, type: CheckType) {
  const { host, port } = serverOf(type, form.getValues(type) ?? {}, form.getValues("address") ?? "");
  const server = hostAndPort(host, port);
  for (const other of checkTypes) {
    const { url, domain } = form.getValues(other) ?? {};
    if (other === type) continue;
    fill(form, other, {
      ...(host !== "" && { host }),
      ...(port !== "" && { port }),
      ...(url === "" && server !== "" && { url: other === "websocket" ? `wss://${server}` : server }),
      ...(domain === "" && { domain: host }),
    });
  }
}

/** The address of a new monitor, until the user has chosen a kind. */
export function AddressField({ type, onType }: { type: CheckType; onType: (address: string) => void }) {
  const { t } = useTranslation();
  const text = useText();
  const { formState, register, setValue, getValues, trigger, clearErrors } = useFormContext<FormValues>();
  const path = `${type}.url` as FieldPath<FormValues>;
  const address = useWatch<FormValues, "address">({ name: "address" });
  const error = (get(formState.errors, path) as { message?: string } | undefined)?.message;
  const { label, placeholder } = kindForms.http.fields["url"] ?? {};
  return (
    <Field label={label && text(label)} hint={t("monitorForm.addressHint")} error={error} required>
      {(ids) => (
        <Input
          {...ids}
          {...register("address")}
          value={address ?? ""}
          onChange={({ target }) => {
            clearErrors(path);
            onType(target.value);
          }}
          onBlur={() => {
            if (type !== "http" || address === "") return;
            setValue("address", String(getValues(path)));
            void trigger(path);
          }}
          placeholder={placeholder}
          inputMode="url"
          mono
          spellCheck={false}
          autoFocus
          autoComplete="off"
          aria-required
        />
      )}
    </Field>
  );
}
