import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { FlowStep } from "@sonde/proto/http/monitors/checks/flow";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { FieldForm, CheckFields } from "../../../entities/kinds/kind-form.ts";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { formatSpan } from "../../../lib/format.ts";
import { Entry, Verbatim } from "../../../ui/card.tsx";

export function Summary({ type, check }: { type: CheckType; check: CheckFields }) {
  return <Entries fields={kindForms[type].fields} check={check} />;
}

const wide: readonly FieldForm["input"][] = [
  "verbatim",
  "crlf",
  "list",
  "headers",
  "assertions",
  "extractions",
  "steps",
];
const isNothing = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

export function Entries({ fields, check }: { fields: Readonly<Record<string, FieldForm>>; check: CheckFields }) {
  const text = useText();
  return Object.entries(fields).map(([name, form]) => {
    const value = check[name];
    const none = typeof form.none === "function" ? form.none(check) : form.none;
    const isLeftOut =
      form.summary === null || value === (form.unless ?? null) || (isNothing(value) && none === undefined);
    if (isLeftOut || form.shownIf?.(check) === false) return null;
    return (
      <Entry key={name} name={text(form.label)} wide={wide.includes(form.input)}>
        {isNothing(value) && none !== undefined ? text(none) : <Value form={form} value={value} />}
      </Entry>
    );
  });
}

function Value({ form, value }: { form: FieldForm; value: unknown }): ReactNode {
  const { t, i18n } = useTranslation();
  const text = useText();
  if (form.summary) return form.summary(value as never);
  switch (form.input) {
    case "switch":
      return t(value === true ? "common.yes" : "common.no");
    case "object":
      return t("common.yes");
    case "choice":
    case "need": {
      const words = form.options?.[String(value)];
      return words === undefined ? String(value) : text(words);
    }
    case "duration":
      return formatSpan(Number(value) * 1000, i18n.language);
    case "schedule":
      return formatSpan(Number(value) * 60_000, i18n.language);
    case "cron":
      return <code className="font-mono text-[13px]">{String(value)}</code>;
    case "verbatim":
    case "crlf":
      return <Verbatim>{String(value)}</Verbatim>;
    case "list":
      return <Lines lines={value as string[]} />;
    case "headers":
      return (
        <Lines
          lines={(value as { name: string; value: string }[]).map((header) => (
            <>
              <span className="text-muted">{header.name}:</span> {header.value}
            </>
          ))}
        />
      );
    case "assertions":
      return (
        <ul>
          {(value as Assertion[]).map((assertion, index) => (
            <AssertionLine key={index} assertion={assertion} />
          ))}
        </ul>
      );
    case "extractions":
      return (
        <Lines
          lines={(value as FlowStep["extract"]).map(
            ({ name, source, property = "" }) => `${name} = ${t(`monitorKinds.flow.sources.${source}`)} ${property}`,
          )}
        />
      );
    case "steps":
      return (
        <ol className="flex flex-col gap-3">
          {(value as FlowStep[]).map((step, index) => (
            <li key={index}>
              <Step step={step} number={index + 1} fields={form.parts ?? {}} />
            </li>
          ))}
        </ol>
      );
    default:
      return String(value);
  }
}

function Lines({ lines }: { lines: readonly ReactNode[] }) {
  return (
    <ul className="font-mono text-[13px]">
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}

function AssertionLine({ assertion: { source, property, op, value } }: { assertion: Assertion }) {
  const { t } = useTranslation();
  return (
    <li>
      {t(`monitorKinds.http.sources.${source}`)}
      {property !== undefined && property !== "" && <code className="ml-1 font-mono text-[13px]">{property}</code>}{" "}
      <span className="text-muted">{t(`monitorKinds.http.ops.${op}`)}</span>
      {value !== undefined && op !== "exists" && <code className="ml-1 font-mono text-[13px]">{value}</code>}
    </li>
  );
}

type StepProps = { step: FlowStep; number: number; fields: Readonly<Record<string, FieldForm>> };

function Step({ step, number, fields }: StepProps) {
  const { name, method, url, expectedStatus } = step;
  const further = Object.entries(fields).filter(
    ([field]) =>
      ["headers", "body", "assertions", "extract"].includes(field) && !isNothing(step[field as keyof FlowStep]),
  );
  return (
    <>
      <p>
        {number}. {name} <code className="font-mono text-[13px] break-all">{`${method} ${url}`}</code>{" "}
        <span className="text-muted">→ {expectedStatus}</span>
      </p>
      <dl className="ml-5 flex flex-col gap-2">
        <Entries fields={Object.fromEntries(further)} check={step} />
      </dl>
    </>
  );
}
