"""The network: the classic torch text classifier over hashed n-grams."""
import torch
from torch import nn

from features import BUCKETS, MAX_IDS, PAD


class LanguageClassifier(nn.Module):
    def __init__(self, classes, width=64, heads=4, feedforward=256, layers=2, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(BUCKETS, width, padding_idx=PAD)
        # Neighbouring trigrams form longer n-grams only if the layers can see who stands next to whom.
        self.position = nn.Embedding(MAX_IDS, width)
        layer = nn.TransformerEncoderLayer(width, heads, feedforward, dropout, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.classifier = nn.Linear(width, classes)
        nn.init.normal_(self.embedding.weight, std=0.3)
        nn.init.normal_(self.position.weight, std=0.05)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0

    def forward(self, input_ids, attention_mask):
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.embedding(input_ids) + self.position(places)
        x = self.encoder(x, src_key_padding_mask=attention_mask == 0)
        keep = attention_mask.unsqueeze(-1).to(x.dtype)
        pooled = (x * keep).sum(1) / keep.sum(1).clamp(min=1.0)
        return self.classifier(pooled)
