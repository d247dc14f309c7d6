"""Pictures: photographs out of packages, text drawn on paper, captchas. Arrays are uint8 [height, width, 3] RGB."""
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

# Packages that ship photographs, and which files those are.
PHOTO_PACKAGES = (("scikit-learn", None, ("datasets/images/china.jpg", "datasets/images/flower.jpg")),
                  ("matplotlib", None, ("sample_data/grace_hopper.jpg",)))
WORDS = ("Invoice 2041", "Total: 118.50", "Dear customer,", "please find attached", "Harbour Street 7", "Order no. 99-3341", "Thank you!", "42 items",
         "page 3 of 12", "delivered on Monday", "REF: A7-QX", "net weight 1.5 kg")
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789abcdefghijkmnpqrstuvwxyz"


def font(size):
    """The font that Pillow carries, so that pictures are the same everywhere."""
    return ImageFont.load_default(size)


def fitted(image, height, width):
    """A part of the picture with the wanted proportions, scaled."""
    scale = max(height / image.height, width / image.width)
    image = image.resize((max(width, round(image.width * scale)), max(height, round(image.height * scale))), Image.BILINEAR)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    return image.crop((left, top, left + width, top + height))


def photographs(paths, height, width):
    """Every photograph whole, mirrored in its middle, and dark."""
    made = []
    for path in paths:
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        made.append(fitted(image, height, width))
        w, h = image.size
        made.append(fitted(image.crop((w // 4, h // 4, w * 3 // 4, h * 3 // 4)).transpose(Image.FLIP_LEFT_RIGHT), height, width))
        made.append(fitted(image, height, width).point(lambda v: v // 3))
    return [np.asarray(image, np.uint8) for image in made]


def line_of_text(text, height, width, seed):
    """A line as a scanner sees it: paper and ink of some grey, a little noise and blur."""
    rng = np.random.default_rng(seed)
    paper = int(rng.integers(190, 256))
    image = Image.new("RGB", (width, height), (paper, paper, int(paper * rng.uniform(0.85, 1))))
    size = int(height * rng.uniform(0.55, 0.8))
    draw = ImageDraw.Draw(image)
    while size > 8 and draw.textlength(text, font=font(size)) > width - 8:
        size -= 1
    ink = tuple(int(v) for v in rng.integers(0, 90, 3))
    draw.text((4, (height - size) // 2 - 2), text, fill=ink, font=font(size))
    image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 0.8)))
    return np.clip(np.asarray(image, np.int16) + rng.normal(0, 4, (height, width, 1)), 0, 255).astype(np.uint8)


def lines_of_text(count, height, width):
    return [line_of_text(WORDS[i % len(WORDS)], height, width, i) for i in range(count)]


def page(height, width, seed, photo=None):
    """A page with a title, paragraphs, a table and a picture."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (width, height), (250, 250, 246))
    draw = ImageDraw.Draw(image)
    unit = max(width // 40, 8)
    draw.text((2 * unit, unit), WORDS[seed % len(WORDS)], fill=(10, 10, 10), font=font(2 * unit))
    y = 4 * unit
    while y < height * 0.5:
        text = " ".join(rng.choice(WORDS, 3))
        draw.text((2 * unit, y), text[:int(width / unit * 1.6)], fill=(30, 30, 30), font=font(unit))
        y += int(unit * 1.5)
    if photo is not None:
        tall = int(height * 0.22)
        image.paste(fitted(Image.fromarray(photo), tall, width // 2 - 3 * unit), (2 * unit, y + unit))
    for row in range(6):
        for column in range(3):
            left, top = width // 2 + column * (width // 7), y + unit + row * 2 * unit
            draw.rectangle((left, top, left + width // 7, top + 2 * unit), outline=(80, 80, 80))
            draw.text((left + 3, top + 3), str(rng.integers(0, 9999)), fill=(20, 20, 60), font=font(unit))
    return np.clip(np.asarray(image, np.int16) + rng.normal(0, 3, (height, width, 1)), 0, 255).astype(np.uint8)


def pages(count, height, width, photo_paths):
    photos = photographs(photo_paths, 200, 300)
    return [page(height, width, i, photos[i % len(photos)]) for i in range(count)]


def captcha(height, width, seed, letters=None):
    """Tilted letters of different colours, lines and dots across."""
    rng = np.random.default_rng(1000 + seed)
    image = Image.new("RGB", (width, height), tuple(int(v) for v in rng.integers(200, 256, 3)))
    count = letters or int(rng.integers(4, 7))
    cell = width // (count + 1)
    for i in range(count):
        size = int(height * rng.uniform(0.55, 0.8))
        tile = Image.new("L", (2 * size, 2 * size), 0)
        ImageDraw.Draw(tile).text((size // 2, size // 3), ALPHABET[rng.integers(len(ALPHABET))], fill=255, font=font(size))
        tile = tile.rotate(rng.uniform(-25, 25), Image.BILINEAR)
        ink = Image.new("RGB", tile.size, tuple(int(v) for v in rng.integers(0, 150, 3)))
        image.paste(ink, (cell // 2 + i * cell - size // 2, (height - 2 * size) // 2), tile)
    draw = ImageDraw.Draw(image)
    for _ in range(4):
        ends = [int(v) for v in (0, rng.integers(height), width, rng.integers(height))]
        draw.line(ends, fill=tuple(int(v) for v in rng.integers(60, 200, 3)), width=int(rng.integers(1, 3)))
    array = np.array(image)
    dots = rng.random((height, width)) < 0.02
    array[dots] = rng.integers(0, 256, (int(dots.sum()), 3))
    return array


def captchas(count, height, width):
    return [captcha(height, width, i) for i in range(count)]


def planes(image, scale=1 / 255, mean=0.0, std=1.0, bgr=False):
    """float32 [1, 3, height, width]."""
    array = image[:, :, ::-1] if bgr else image
    array = (array.astype(np.float32) * np.float32(scale) - np.asarray(mean, np.float32)) / np.asarray(std, np.float32)
    return np.ascontiguousarray(array.transpose(2, 0, 1))[None]


def gray(image):
    return np.asarray(Image.fromarray(image).convert("L"), np.float32)


IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
