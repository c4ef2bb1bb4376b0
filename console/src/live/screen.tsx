/** The picture of a running browser: watched, driven, or pointed at. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../design/button";
import { TextField } from "../design/field";
import { Prose } from "../design/prose";
import { LiveConnection, type LiveState } from "./connection";
import { Input, pointOf } from "./input";
import { usePointerKeys } from "./pointer_keys";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Pointing {
  /** What is at the pointer, drawn as a frame around it. */
  readonly box: Box | undefined;
  readonly label: string;
  readonly onMove: (x: number, y: number) => void;
  readonly onPoint: (x: number, y: number) => void;
}

interface Props {
  url: string;
  /** Somebody points at an element instead of using the page. */
  pointing?: Pointing | undefined;
  actions?: ComponentChildren;
  /** What the view around it already says it waits for. */
  said?: string | undefined;
  /** Take control as soon as nobody has it. */
  wantsControl?: boolean;
}

export function LiveScreen({ url, pointing, actions, said, wantsControl = false }: Props) {
  const connection = useMemo(() => new LiveConnection(url), [url]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const input = useMemo(() => new Input(connection, () => canvas.current), [connection]);
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
  const drives = state?.driver === "you";
  const cross = usePointerKeys(pointing, state);
  useEffect(() => {
    if (pointing) canvas.current?.focus(); // whoever has no mouse goes on from here with the arrow keys
  }, [pointing !== undefined, state !== undefined]);
  useEffect(() => {
    if (wantsControl && state?.driver === "nobody") connection.say("take");
  }, [wantsControl, state?.driver]);
  useEffect(() => {
    // wheel listeners of the framework are passive: the page beside would scroll along
    const screen = canvas.current;
    const onWheel = (event: WheelEvent) => {
      if (!connection.drives) return;
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
    } else if (drives) {
      canvas.current?.setPointerCapture(event.pointerId);
      input.down(event);
    }
  };
  const onMove = (event: PointerEvent) => {
    if (!state) return;
    if (pointing) {
      const { x, y } = at(event);
      pointing.onMove(x, y);
    } else if (drives) input.move(event);
  };
  const onKey = (kind: "down" | "up") => (event: KeyboardEvent) => {
    if (event.key === "F6") {
      event.preventDefault();
      canvas.current?.closest(".live")?.querySelector("button")?.focus();
      return;
    }
    if (kind === "down" && cross.onKey(event)) event.preventDefault();
    if (!drives || pointing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return; // arrives as a paste
    event.preventDefault();
    event.stopPropagation();
    input.key(kind, event);
  };
  return (
    <section class="live" role="region" aria-label="Live view">
      <div class="live-bar">
        <Wheel connection={connection} state={state} />
        {drives && <Button kind="quiet" icon="undo" label="Back" onPress={() => connection.say("back")} />}
        {drives && <Button kind="quiet" icon="retry" label="Reload the page" onPress={() => connection.say("reload")} />}
        <span class="live-status small muted clip" role="status">
          {statusOf(state, connection.message.value)}
        </span>
        {actions}
      </div>
      {state && state.tabs.length > 1 && <TabStrip connection={connection} state={state} />}
      <div class={`live-stage${pointing ? " pointing" : ""}${drives ? " driven" : ""}`}>
        <canvas
          ref={canvas}
          width={1280}
          height={800}
          tabIndex={0}
          role="img"
          aria-label={pointing ? "The page. Arrow keys move a cross, Enter points at what is under it." : drives ? "The page. Keys go to it; F6 leaves it." : "The page as it is now"}
          onPointerDown={onDown}
          onPointerMove={onMove}
          onPointerUp={(event) => drives && !pointing && input.up(event)}
          onContextMenu={(event) => event.preventDefault()}
          onKeyDown={onKey("down")}
          onKeyUp={onKey("up")}
          onPaste={(event) => {
            const text = event.clipboardData?.getData("text/plain").slice(0, 100_000);
            if (text && drives) connection.say("text", { text });
          }}
        />
        {pointing && state && <Outline box={pointing.box} label={pointing.label} cross={cross.at} state={state} />}
        {connection.message.value && <p class="live-curtain">{connection.message.value}</p>}
      </div>
      {drives && isTouch && <TypeInto connection={connection} />}
      {connection.refusal.value && <p class="field-problem">{connection.refusal.value}</p>}
      {state?.waitsFor && state.waitsFor !== said && <p class="banner"><Prose text={state.waitsFor} /></p>}
      {state?.question && <Question key={state.question.id} connection={connection} question={state.question} drives={drives} />}
      {state?.chooser && drives && <Chooser connection={connection} isMultiple={state.chooser.isMultiple} />}
    </section>
  );
}

function statusOf(state: LiveState | undefined, message: string): string {
  if (!state) return message;
  if (state.driver === "you") return "You are in control";
  if (state.driver === "other") return "Somebody else is in control";
  return state.heldFor ? "Paused" : "Watching";
}

function Wheel({ connection, state }: { connection: LiveConnection; state: LiveState | undefined }) {
  if (!state?.mayDrive) return null;
  if (state.driver === "you") return <Button onPress={() => connection.say("give back")}>Give back</Button>;
  return <Button onPress={() => connection.say("take", { takeover: state.driver === "other" })}>{state.driver === "other" ? "Take over" : "Take control"}</Button>;
}

const isTouch = matchMedia("(pointer: coarse)").matches;

/** A picture opens no on-screen keyboard: on a phone, text goes into the page by this field. */
function TypeInto({ connection }: { connection: LiveConnection }) {
  const [text, setText] = useState("");
  const press = (key: string, keyCode: number, typed = "") => {
    for (const kind of ["down", "up"]) connection.say("key", { kind, key, code: key, keyCode, text: kind === "down" ? typed : "" });
  };
  const send = () => {
    if (text) connection.say("text", { text });
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
        <Button key={tab.id} kind="quiet" pressed={tab.isCurrent} disabled={state.driver !== "you"} onPress={() => connection.say("tab", { id: tab.id })}>
          {tab.title || tab.site || "New tab"}
        </Button>
      ))}
    </div>
  );
}

/** A frame around an element of the page and the cross that keys move, in the page's own pixels. */
function Outline({ box, label, cross, state }: { box: Box | undefined; label: string; cross: { x: number; y: number } | undefined; state: LiveState }) {
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
      {cross && <path d={`M${cross.x - 10} ${cross.y}h20M${cross.x} ${cross.y - 10}v20`} />}
    </svg>
  );
}

function Question({ connection, question, drives }: { connection: LiveConnection; question: NonNullable<LiveState["question"]>; drives: boolean }) {
  const [text, setText] = useState(question.suggestion);
  const answer = (accept: boolean) => connection.say("answer", { id: question.id, accept, ...(accept && question.kind === "prompt" ? { text } : {}) });
  return (
    <div class="banner" role="alertdialog" aria-label="The page asks">
      <p>{question.message || "Leave this page? Changes may not be saved."}</p>
      {question.kind === "prompt" && <TextField label="Answer" value={text} onInput={setText} />}
      <div class="row">
        <Button disabled={!drives} onPress={() => answer(true)}>
          OK
        </Button>
        {question.kind !== "alert" && (
          <Button kind="quiet" disabled={!drives} onPress={() => answer(false)}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

function Chooser({ connection, isMultiple }: { connection: LiveConnection; isMultiple: boolean }) {
  return (
    <div class="banner" role="group" aria-label="The page waits for a file">
      <label>
        Files for the page{" "}
        <input type="file" multiple={isMultiple} onChange={(event) => void connection.send([...(event.currentTarget.files ?? [])])} />
      </label>
      <Button kind="quiet" onPress={() => connection.say("no files")}>
        Choose none
      </Button>
    </div>
  );
}
