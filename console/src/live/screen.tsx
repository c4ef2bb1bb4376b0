/** The live picture of a browser: to watch, to control, or to pick an element on. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../design/button";
import { TextField } from "../design/field";
import { TextWithCode } from "../design/text_with_code";
import { LiveConnection, type LiveState } from "./connection";
import { InputForwarder, pointOf } from "./input";
import { usePointerKeys } from "./pointer_keys";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Pointing {
  /** The element under the pointer; drawn as an outline. */
  readonly box: Box | undefined;
  readonly label: string;
  readonly onMove: (x: number, y: number) => void;
  readonly onPoint: (x: number, y: number) => void;
}

interface Props {
  url: string;
  /** Set while the user picks an element instead of using the page. */
  pointing?: Pointing | undefined;
  actions?: ComponentChildren;
  /** The waiting reason that the surrounding view shows already. */
  shownReason?: string | undefined;
  /** Take control as soon as it is free. */
  wantsControl?: boolean;
}

export function LiveScreen({ url, pointing, actions, shownReason, wantsControl = false }: Props) {
  const connection = useMemo(() => new LiveConnection(url), [url]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const input = useMemo(() => new InputForwarder(connection, () => canvas.current), [connection]);
  useEffect(() => () => connection.close(), [connection]);
  useEffect(() => {
    connection.onPicture = async (picture) => {
      const bitmap = await createImageBitmap(picture);
      const screen = canvas.current;
      if (screen) {
        if (screen.width !== bitmap.width || screen.height !== bitmap.height) Object.assign(screen, { width: bitmap.width, height: bitmap.height });
        screen.getContext("2d", { alpha: false })?.drawImage(bitmap, 0, 0);
      }
      bitmap.close();
    };
  }, [connection]);
  const state = connection.state.value;
  const isDriving = state?.driver === "you";
  const crosshair = usePointerKeys(pointing, state);
  useEffect(() => {
    if (pointing) canvas.current?.focus(); // so that the arrow keys move the crosshair
  }, [pointing !== undefined, state !== undefined]);
  useEffect(() => {
    if (wantsControl && state?.driver === "nobody") connection.send("take");
  }, [wantsControl, state?.driver]);
  useEffect(() => {
    // Preact's wheel listeners are passive and could not keep the console itself from scrolling
    const screen = canvas.current;
    const onWheel = (event: WheelEvent) => {
      if (!connection.isDriving) return;
      event.preventDefault();
      input.wheel(event);
    };
    screen?.addEventListener("wheel", onWheel, { passive: false });
    return () => screen?.removeEventListener("wheel", onWheel);
  }, [connection, input]);

  const at = (event: PointerEvent) => pointOf(event, canvas.current!, state!);
  const onDown = (event: PointerEvent) => {
    if (!state) return;
    if (pointing) {
      const { x, y } = at(event);
      pointing.onPoint(x, y);
    } else if (isDriving) {
      canvas.current?.setPointerCapture(event.pointerId);
      input.down(event);
    }
  };
  const onMove = (event: PointerEvent) => {
    if (!state) return;
    if (pointing) {
      const { x, y } = at(event);
      pointing.onMove(x, y);
    } else if (isDriving) input.move(event);
  };
  const onKey = (kind: "down" | "up") => (event: KeyboardEvent) => {
    if (event.key === "F6") {
      event.preventDefault();
      canvas.current?.closest(".live")?.querySelector("button")?.focus();
      return;
    }
    if (kind === "down" && crosshair.onKey(event)) event.preventDefault();
    if (!isDriving || pointing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return; // handled by onPaste
    event.preventDefault();
    event.stopPropagation();
    input.key(kind, event);
  };
  return (
    <section class="live" role="region" aria-label="Live view">
      <div class="live-bar">
        <ControlButton connection={connection} state={state} />
        {isDriving && <Button kind="quiet" icon="undo" label="Back" onPress={() => connection.send("back")} />}
        {isDriving && <Button kind="quiet" icon="retry" label="Reload the page" onPress={() => connection.send("reload")} />}
        <span class="live-status small muted clip" role="status">
          {statusOf(state, connection.message.value)}
        </span>
        {actions}
      </div>
      {state && state.tabs.length > 1 && <TabStrip connection={connection} state={state} />}
      <div class={`live-stage${pointing ? " pointing" : ""}${isDriving ? " driven" : ""}`}>
        <canvas
          ref={canvas}
          width={1280}
          height={800}
          tabIndex={0}
          role="img"
          aria-label={pointing ? "The page. Arrow keys move a crosshair, Enter picks the element under it." : isDriving ? "The page. Keys go to the page; F6 leaves it." : "The live page"}
          onPointerDown={onDown}
          onPointerMove={onMove}
          onPointerUp={(event) => isDriving && !pointing && input.up(event)}
          onContextMenu={(event) => event.preventDefault()}
          onKeyDown={onKey("down")}
          onKeyUp={onKey("up")}
          onPaste={(event) => {
            const text = event.clipboardData?.getData("text/plain").slice(0, 100_000);
            if (text && isDriving) connection.send("text", { text });
          }}
        />
        {pointing && state && <Outline box={pointing.box} label={pointing.label} crosshair={crosshair.at} state={state} />}
        {connection.message.value && <p class="live-curtain">{connection.message.value}</p>}
      </div>
      {isDriving && isTouch && <TypeIntoPage connection={connection} />}
      {connection.refusal.value && <p class="field-problem">{connection.refusal.value}</p>}
      {state?.waitsFor && state.waitsFor !== shownReason && <p class="banner"><TextWithCode text={state.waitsFor} /></p>}
      {state?.question && <PageDialog key={state.question.id} connection={connection} question={state.question} isDriving={isDriving} />}
      {state?.chooser && isDriving && <FileChooser connection={connection} isMultiple={state.chooser.isMultiple} />}
    </section>
  );
}

function statusOf(state: LiveState | undefined, message: string): string {
  if (!state) return message;
  if (state.driver === "you") return "You are in control";
  if (state.driver === "other") return "Somebody else is in control";
  return state.heldFor ? "Paused" : "Watching";
}

function ControlButton({ connection, state }: { connection: LiveConnection; state: LiveState | undefined }) {
  if (!state?.mayDrive) return null;
  if (state.driver === "you") return <Button onPress={() => connection.send("give back")}>Give back</Button>;
  return <Button onPress={() => connection.send("take", { takeover: state.driver === "other" })}>{state.driver === "other" ? "Take over" : "Take control"}</Button>;
}

const isTouch = matchMedia("(pointer: coarse)").matches;

/** A canvas opens no on-screen keyboard: on a phone, this field sends text to the page. */
function TypeIntoPage({ connection }: { connection: LiveConnection }) {
  const [text, setText] = useState("");
  const press = (key: string, keyCode: number, typed = "") => {
    for (const kind of ["down", "up"]) connection.send("key", { kind, key, code: key, keyCode, text: kind === "down" ? typed : "" });
  };
  const send = () => {
    if (text) connection.send("text", { text });
    setText("");
  };
  return (
    <form class="row live-type" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Type into the page" value={text} onInput={setText} autoComplete="off" />
      <Button type="submit" disabled={!text} onPress={send}>
        Type
      </Button>
      <Button kind="quiet" onPress={() => press("Enter", 13, "\r")}>
        Enter
      </Button>
      <Button kind="quiet" onPress={() => press("Tab", 9)}>
        Tab
      </Button>
      <Button kind="quiet" onPress={() => press("Backspace", 8)}>
        Delete
      </Button>
    </form>
  );
}

function TabStrip({ connection, state }: { connection: LiveConnection; state: LiveState }) {
  return (
    <div class="live-tabs" role="group" aria-label="Tabs of the browser">
      {state.tabs.map((tab) => (
        <Button key={tab.id} kind="quiet" pressed={tab.isCurrent} disabled={state.driver !== "you"} onPress={() => connection.send("tab", { id: tab.id })}>
          {tab.title || tab.site || "New tab"}
        </Button>
      ))}
    </div>
  );
}

/** The outline of an element and the crosshair, in CSS pixels of the page. */
function Outline({ box, label, crosshair, state }: { box: Box | undefined; label: string; crosshair: { x: number; y: number } | undefined; state: LiveState }) {
  return (
    <svg class="live-outline" viewBox={`0 0 ${state.width} ${state.height}`} aria-hidden="true">
      {box && (
        <>
          <rect x={box.x} y={box.y} width={box.width} height={box.height} />
          <text x={box.x + 4} y={Math.max(18, box.y - 6)}>
            {label}
          </text>
        </>
      )}
      {crosshair && <path d={`M${crosshair.x - 10} ${crosshair.y}h20M${crosshair.x} ${crosshair.y - 10}v20`} />}
    </svg>
  );
}

function PageDialog({ connection, question, isDriving }: { connection: LiveConnection; question: NonNullable<LiveState["question"]>; isDriving: boolean }) {
  const [text, setText] = useState(question.suggestion);
  const answer = (accept: boolean) => connection.send("answer", { id: question.id, accept, ...(accept && question.kind === "prompt" ? { text } : {}) });
  return (
    <div class="banner" role="alertdialog" aria-label="Dialog of the page">
      <p>{question.message || "Leave this page? Changes may not be saved."}</p>
      {question.kind === "prompt" && <TextField label="Answer" value={text} onInput={setText} />}
      <div class="row">
        <Button disabled={!isDriving} onPress={() => answer(true)}>
          OK
        </Button>
        {question.kind !== "alert" && (
          <Button kind="quiet" disabled={!isDriving} onPress={() => answer(false)}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

function FileChooser({ connection, isMultiple }: { connection: LiveConnection; isMultiple: boolean }) {
  return (
    <div class="banner" role="group" aria-label="File chooser of the page">
      <label>
        Files for the page{" "}
        <input type="file" multiple={isMultiple} onChange={(event) => void connection.sendFiles([...(event.currentTarget.files ?? [])])} />
      </label>
      <Button kind="quiet" onPress={() => connection.send("no files")}>
        Choose none
      </Button>
    </div>
  );
}
