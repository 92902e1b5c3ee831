import { type DragEvent, useId, useState } from "react";
import { buttonClass, Spinner } from "./button.tsx";
import { cx } from "./cx.ts";

type DropZoneProps = {
  label: string;
  hint: string;
  accept: string;
  multiple?: boolean;
  /** Shown instead of the button while files are read. */
  reading: string | null;
  onFiles: (files: readonly File[]) => void;
};

/** Takes files by a button or by dropping them. */
export function DropZone({ label, hint, accept, multiple = false, reading, onFiles }: DropZoneProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (reading === null && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
  };
  return (
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
            multiple={multiple}
            accept={accept}
            className="peer sr-only"
            onChange={({ target }) => {
              if (target.files !== null && target.files.length > 0) onFiles([...target.files]);
              // Allows selecting the same file again after it was changed.
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
            {label}
          </label>
          <span className="text-muted max-sm:hidden">{hint}</span>
        </>
      ) : (
        <p role="status" className="flex items-center gap-2 text-muted">
          <Spinner />
          {reading}
        </p>
      )}
    </div>
  );
}
