import type { AuditChange, AuditEntry } from "@sonde/proto/http/audit";
import { secretMask } from "@sonde/proto/http/secrets";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFieldName } from "../../entities/audit/field-name.ts";
import { cx } from "../../ui/cx.ts";
import { Time } from "../../ui/time.tsx";

export function Diff({ entry: { target, changes, isCut, requestId } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const nameOf = useFieldName(target.type);
  const isTwofold = changes.some(({ from }) => from !== undefined) && changes.some(({ to }) => to !== undefined);
  const columns = cx(
    "grid gap-x-6 gap-y-1",
    isTwofold ? "md:grid-cols-[12rem_minmax(0,1fr)_minmax(0,1fr)]" : "md:grid-cols-[12rem_minmax(0,1fr)]",
  );
  return (
    <div className="py-1.5 text-[13px]">
      {changes.length > 0 && (
        <div aria-hidden="true" className={cx(columns, "pb-1 text-muted max-md:hidden")}>
          <span>{t("audit.diff.field")}</span>
          {isTwofold ? (
            <>
              <span>{t("audit.diff.before")}</span>
              <span>{t("audit.diff.after")}</span>
            </>
          ) : (
            <span>{t("audit.diff.value")}</span>
          )}
        </div>
      )}
      <dl aria-label={t("audit.diff.label")}>
        {changes.map((change, index) => (
          <div key={index} className={cx(columns, "border-t border-line py-2")}>
            <dt className="font-medium break-words">{nameOf(change.path)}</dt>
            {change.from === secretMask && change.to === secretMask ? (
              <dd className="text-muted md:col-span-2">{t("audit.diff.secretChanged")}</dd>
            ) : isTwofold ? (
              <>
                <Side label={t("audit.diff.before")} value={change.from} other={change.to} className="text-muted" />
                <Side label={t("audit.diff.after")} value={change.to} other={change.from} />
              </>
            ) : (
              <dd className="min-w-0">
                <Value value={change.to ?? change.from} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      <p className="border-t border-line pt-2 text-faint">
        {isCut && <span className="mb-1 block text-muted">{t("audit.diff.isCut")}</span>}
        {t("audit.diff.request")} <code className="font-mono break-all">{requestId}</code>
      </p>
    </div>
  );
}

type SideProps = { label: string; value: unknown; other: unknown; className?: string };

function Side({ label, value, other, className }: SideProps) {
  return (
    <dd className={cx("flex min-w-0 gap-x-3", className)}>
      <span className="w-16 shrink-0 text-faint md:sr-only">{label}</span>
      <span className="min-w-0 flex-1">
        <Value value={value} other={other} />
      </span>
    </dd>
  );
}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function Value({ value, other }: { value: AuditChange["to"]; other?: unknown }): ReactNode {
  const { t } = useTranslation();
  if (value == null) return <Word>{t("audit.diff.notSet")}</Word>;
  if (value === "") return <Word>{t("audit.diff.empty")}</Word>;
  if (value === secretMask) return <Word>{t("audit.diff.secret")}</Word>;
  if (typeof value === "boolean") return t(value ? "common.yes" : "common.no");
  if (Array.isArray(value)) return <Items items={value} other={Array.isArray(other) ? other : undefined} />;
  if (typeof value === "string") return instantPattern.test(value) ? <Time at={value} /> : <Text text={value} />;
  return <span className="tnum break-words">{lineOf(value, t)}</span>;
}

function Word({ children }: { children: string }) {
  return <span className="text-faint italic">{children}</span>;
}

/** Maximum initial length of a text, rounded to whole lines if possible. */
const maxCharacters = 300;

function Text({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isWhole, setIsWhole] = useState(text.length <= maxCharacters);
  return (
    <>
      <span className="break-words whitespace-pre-wrap">{isWhole ? text : `${text.slice(0, maxCharacters)}…`}</span>
      {!isWhole && <More label={t("audit.diff.whole")} onMore={() => setIsWhole(true)} />}
    </>
  );
}

const maxItems = 8;

/** A list with its differences marked. A long list initially shows only these. */
function Items({ items, other }: { items: readonly unknown[]; other: readonly unknown[] | undefined }) {
  const { t } = useTranslation();
  const [isWhole, setIsWhole] = useState(items.length <= maxItems);
  if (items.length === 0) return <Word>{t("common.none")}</Word>;
  const others = other && new Set(other.map((item) => JSON.stringify(item)));
  const lines = items.map((item) => ({
    text: lineOf(item, t),
    isOwn: others !== undefined && !others.has(JSON.stringify(item)),
  }));
  const first = others === undefined ? lines : lines.filter(({ isOwn }) => isOwn);
  const shown = isWhole ? lines : first.slice(0, maxItems);
  return (
    <>
      <ul>
        {shown.map(({ text, isOwn }, index) => (
          <li key={index} className="break-words">
            {isOwn ? <mark className="rounded-sm bg-accent-soft px-1 text-ink">{text}</mark> : text}
          </li>
        ))}
      </ul>
      {!isWhole && (
        <More label={t("audit.diff.more", { count: lines.length - shown.length })} onMore={() => setIsWhole(true)} />
      )}
    </>
  );
}

function More({ label, onMore }: { label: string; onMore: () => void }) {
  return (
    <button
      type="button"
      onClick={onMore}
      className="flex min-h-6 items-center text-accent-strong underline-offset-2 hover:underline"
    >
      {label}
    </button>
  );
}

function lineOf(value: unknown, t: TFunction): string {
  if (Array.isArray(value)) return value.map((each) => lineOf(each, t)).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const { type, name, value: own, ...rest } = value as Record<string, unknown>;
  const isTarget = (type === "monitor" || type === "agent") && Object.keys(rest).join(",") === "id";
  if (isTarget) return `${t(`audit.kinds.${type}`)} ${lineOf(rest["id"], t)}`;
  const isNamed = typeof name === "string" && typeof own === "string" && Object.keys(value).length === 2;
  if (isNamed) return `${name}: ${own}`;
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${lineOf(each, t)}`)
    .join(", ");
}
