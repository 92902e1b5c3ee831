import { type DragEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { buttonClass, Spinner } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";

type ChooseFileProps = {
  /** The name of the file that is being read; null: none is. */
  reading: string | null;
  onChoose: (files: readonly File[]) => void;
};

/** Where a file is chosen or dropped, and what may be. */
export function ChooseFile({ reading, onChoose }: ChooseFileProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (reading === null && event.dataTransfer.files.length > 0) onChoose([...event.dataTransfer.files]);
  };
  return (
    <Card title={t("importing.choose.title")}>
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={cx(
          "flex min-h-28 flex-wrap items-center justify-center gap-3 rounded-md border border-dashed p-5 text-center transition-colors",
          isOver ? "border-accent bg-sunken" : "border-line-strong",
        )}
      >
        {reading === null ? (
          <>
            <input
              id={id}
              type="file"
              multiple
              accept=".db,.db-wal,.sqlite,.json,application/json,application/vnd.sqlite3"
              className="peer sr-only"
              onChange={({ target }) => {
                if (target.files !== null && target.files.length > 0) onChoose([...target.files]);
                // The same file may be chosen again after it was changed.
                target.value = "";
              }}
            />
            <label
              htmlFor={id}
              className={cx(
                buttonClass("primary"),
                "cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent",
              )}
            >
              {t("importing.choose.button")}
            </label>
            <span className="text-muted max-sm:hidden">{t("importing.choose.drop")}</span>
          </>
        ) : (
          <p role="status" className="flex items-center gap-2 text-muted">
            <Spinner />
            {t("importing.choose.reading", { name: reading })}
          </p>
        )}
      </div>
      <ul className="mt-4 flex list-disc flex-col gap-1.5 pl-5">
        <li>{t("importing.choose.kuma")}</li>
        <li>{t("importing.choose.sonde")}</li>
      </ul>
      <p className="mt-3 text-muted">{t("importing.choose.private")}</p>
    </Card>
  );
}
