"""Train small scikit-learn models; run by the Python of MLServer's own environment: train.py FOLDER KIND."""

import sys
from pathlib import Path

import joblib
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

KINDS = {"iris": LogisticRegression(max_iter=1000), "most-frequent": DummyClassifier(strategy="constant", constant=2)}

rows, classes = load_iris(return_X_y=True)
for folder, kind in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    Path(folder).mkdir(parents=True, exist_ok=True)
    joblib.dump(KINDS[kind].fit(rows, classes), Path(folder) / "model.joblib")
