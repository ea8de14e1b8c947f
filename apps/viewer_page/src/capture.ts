// SPDX-License-Identifier: Apache-2.0
// What is on the screen as a file: a picture, or a clip of what happens until it is stopped.
import type { Stage } from "./stage";

const FPS = 30;

export class Capture {
  private readonly sheet = document.createElement("canvas");
  private readonly pen = this.sheet.getContext("2d")!;
  private recorder: MediaRecorder | undefined;

  /// `name`: of the files, without their ending.
  constructor(
    private readonly stages: () => Stage[],
    private readonly name: () => string,
    private readonly changed: (recording: boolean) => void,
  ) {}

  get recording(): boolean {
    return this.recorder !== undefined;
  }

  picture(): void {
    for (const stage of this.stages()) stage.draw(); // a canvas can be read only in the task that draws it
    this.copy();
    this.sheet.toBlob((blob) => blob && save(blob, `${this.name()}.png`), "image/png");
  }

  /// Begins a clip, or ends it and saves it.
  toggleClip(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    this.copy();
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.sheet.captureStream(FPS), { videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      this.recorder = undefined;
      this.changed(false);
      save(new Blob(parts, { type: recorder.mimeType }), `${this.name()}.${recorder.mimeType.includes("mp4") ? "mp4" : "webm"}`);
    };
    recorder.start();
    this.recorder = recorder;
    this.changed(true);
  }

  /// After the stages were drawn.
  drawn(): void {
    if (this.recorder) this.copy();
  }

  private copy(): void {
    const canvases = this.stages().map((stage) => stage.canvas);
    const width = canvases.reduce((sum, canvas) => sum + canvas.width, 0);
    const height = Math.max(...canvases.map((canvas) => canvas.height));
    if (this.sheet.width !== width || this.sheet.height !== height) [this.sheet.width, this.sheet.height] = [width, height];
    let left = 0;
    for (const canvas of canvases) {
      this.pen.drawImage(canvas, left, 0);
      left += canvas.width;
    }
  }
}

function save(blob: Blob, file: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
}
