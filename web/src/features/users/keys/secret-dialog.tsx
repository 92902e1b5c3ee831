import { useTranslation } from "react-i18next";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  const example = `curl -H "Authorization: Bearer ${secret}" ${location.origin}/api/monitors`;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("keys.secretTitle")}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("keys.done")}
        </Button>
      }
    >
      <Alert kind="info">{t("keys.once")}</Alert>
      {[secret, example].map((text) => (
        <div key={text} className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{text}</code>
          <CopyButton text={text} about={text === secret ? t("keys.secret") : t("keys.example")} />
        </div>
      ))}
    </Dialog>
  );
}
