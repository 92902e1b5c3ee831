import { useTranslation } from "react-i18next";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation();
  const text = `${codes.join("\n")}\n`;
  function download() {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `sonde-recovery-codes-${location.hostname}.txt`;
    link.click();
    URL.revokeObjectURL(url);
  }
  return (
    <div className="flex flex-col gap-3">
      <Alert kind="info">{t("factors.codesOnce")}</Alert>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-md border border-line bg-sunken p-3 font-mono text-[13px] min-[22rem]:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <CopyButton text={text} about={t("factors.codes")} />
        <Button size="sm" variant="ghost" onClick={download}>
          {t("factors.download")}
        </Button>
        <Button variant="primary" onClick={onDone}>
          {t("factors.codesKept")}
        </Button>
      </div>
    </div>
  );
}
