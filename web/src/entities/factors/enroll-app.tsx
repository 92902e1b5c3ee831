import type { BegunFactor } from "@sonde/proto/http/factors";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { CodeField } from "./code-field.tsx";

type EnrollAppProps = {
  totp: NonNullable<BegunFactor["totp"]>;
  /** Resolves to an error text, or `null`. */
  onCode: (code: string) => Promise<string | null>;
};

export function EnrollApp({ totp, onCode }: EnrollAppProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isSaving) return;
    if (!/^\d{3} ?\d{3}$/.test(code.trim())) return setFailure(t("factors.sixDigits"));
    setSaving(true);
    setFailure(await onCode(code.trim()));
    setSaving(false);
  }
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <p className="text-muted">{t("factors.scan")}</p>
      <QrCode text={totp.uri} label={t("factors.qr")} />
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{totp.secret}</code>
        <CopyButton text={totp.secret} about={t("factors.secret")} />
      </div>
      <CodeField label={t("factors.appCode")} value={code} onChange={setCode} />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("factors.checking")}>
          {t("factors.confirm")}
        </Button>
      </div>
    </form>
  );
}

/** Black on white in both themes, because cameras need it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [rows, setRows] = useState<boolean[][]>([]);
  useEffect(() => {
    let isCurrent = true;
    void import("uqr").then(({ encode }) => isCurrent && setRows(encode(text, { ecc: "M", border: 4 }).data));
    return () => void (isCurrent = false);
  }, [text]);
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const size = Math.max(rows.length, 1);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-52 rounded-md border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
