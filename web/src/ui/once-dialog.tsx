import { useTranslation } from "react-i18next";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** A dialog with texts to copy that are shown only once. */
export function OnceDialog(props: {
  title: string;
  note: string;
  texts: readonly { about: string; text: string }[];
  onClose: () => void;
}) {
  const { title, note, texts, onClose } = props;
  const { t } = useTranslation();
  const done = (
    <Button variant="primary" onClick={onClose}>
      {t("common.done")}
    </Button>
  );
  return (
    <Dialog onClose={onClose} title={title} footer={done}>
      <Alert kind="info">{note}</Alert>
      {texts.map(({ about, text }) => (
        <div key={text} className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{text}</code>
          <CopyButton text={text} about={about} />
        </div>
      ))}
    </Dialog>
  );
}
